-- Asks for the positions of a file, a FEN in each line: wrk -s tools/server/load.lua ADDRESS -- FILE
local paths, next_path = {}, 0
function init(args)
  for line in io.lines(args[1]) do paths[#paths + 1] = "/standard?fen=" .. line:gsub(" ", "_") end
end
function request()
  next_path = next_path % #paths + 1
  return wrk.format("GET", paths[next_path])
end
