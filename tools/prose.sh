#!/usr/bin/env bash
# Lists sentences of docs, comments and messages that begin without a subject: with What or Who, if they are no questions;
# with Those, Such or "The same", if no noun follows; with Of, if no comma ends the part before the subject. Fails if there
# are any.
set -euo pipefail
cd "$(dirname "$0")/.."
git ls-files -z -- '*.md' '*.rs' '*.sh' '*.py' '*.pyi' '*.ts' '*.h' '*.hpp' '*.c' '*.cpp' '*.toml' '*.html' '*.mjs' '*.js' '*Makefile' '*Containerfile' .ci/run ':!tools/prose.sh' |
    xargs -0 perl -e '
        my $none = qr/(?:of|that|who|whose|with|without|in|on|at|from|for|to|by|as|if|is|are|was|were|where|when|which|has|have
            |hold|holds|can|go|goes|before|after|between|and|or|not|the|a|seen|elsewhere|again|until|under|by|about|than)\b/x;
        # Right ones: a type of that name.
        my $right = qr{^Of(?:<|::|[,;])};
        my $found = 0;
        for my $path (@ARGV) {
            open my $file, "<", $path or next;
            my $text = do { local $/; <$file> };
            # A sentence goes on in the next line of a comment.
            while ($text =~ /(?<![\w:`-])((What|Who|Of|Those|Such|The same)\b(?:[^.?!:]|[.:](?=\S))*[.?!:]?)/g) {
                my ($sentence, $word, $at) = ($1, $2, $-[0]);
                my $rest = substr $sentence, length $word;
                $rest =~ s{\n\s*(?://[/!]?|\#|\*)?\s*}{ }g;
                next if $sentence =~ $right;
                next if $word =~ /^Wh/ && $rest =~ /\?$/;
                next if $word =~ /^(?:Those|Such|The same)$/ && $rest !~ /^\s*(?:$none|[,.;:]|$)/;
                next if $word eq "Of" && $rest =~ /^ [^,]{1,80},(?! (?:whose|which|who)\b)/;
                my $line = 1 + (substr($text, 0, $at) =~ tr/\n//);
                print "$path:$line: $word", substr($rest, 0, 90), "\n";
                $found = 1;
            }
        }
        exit $found'
