//! Proofs by decision diagrams (`oxidd`): equal functions of bits have the same diagram.

use std::collections::HashMap;
use std::rc::Rc;

use oxidd::bcdd::{BCDDFunction, BCDDManagerRef, new_manager};
use oxidd::{BooleanFunction, Manager, ManagerRef};

use crate::term::{self, Node, Term};

/// The functions of a word's bits, the lowest first.
type Bits = Rc<Vec<BCDDFunction>>;

/// Diagrams of terms.
pub(crate) struct Diagrams {
    manager: BCDDManagerRef,
    /// The variables of diagrams in their order, and how many of them are in use.
    levels: Vec<BCDDFunction>,
    used: usize,
    variables: HashMap<u32, Bits>,
    of_terms: HashMap<Term, Bits>,
    zero: BCDDFunction,
    one: BCDDFunction,
}

const ROOM: &str = "the table of diagrams is large enough";

impl Diagrams {
    /// Room for so many nodes, and no diagrams yet.
    pub(crate) fn new(nodes: usize) -> Diagrams {
        let manager = new_manager(nodes, nodes / 2, 1);
        let (zero, one) = manager
            .with_manager_shared(|manager| (BCDDFunction::f(manager), BCDDFunction::t(manager)));
        Diagrams {
            manager,
            levels: Vec::new(),
            used: 0,
            variables: HashMap::new(),
            of_terms: HashMap::new(),
            zero,
            one,
        }
    }

    /// Forgets all terms and variables.
    pub(crate) fn forget(&mut self) {
        self.used = 0;
        self.variables.clear();
        self.of_terms.clear();
    }

    /// Gives bits of variables their places in the order of diagrams, after those before them.
    pub(crate) fn place(&mut self, order: &[(Term, u32)]) {
        let missing = (self.used + order.len()).saturating_sub(self.levels.len());
        self.manager.with_manager_exclusive(|manager| {
            for level in manager.add_vars(missing as u32) {
                self.levels
                    .push(BCDDFunction::var(manager, level).expect(ROOM));
            }
        });
        let mut placed: HashMap<u32, Vec<Option<BCDDFunction>>> = HashMap::new();
        for (level, &(variable, bit)) in self.levels[self.used..].iter().zip(order) {
            let Node::Variable(number) = variable.node() else {
                panic!("not a variable")
            };
            let none = || vec![None; variable.width() as usize];
            placed.entry(number).or_insert_with(none)[bit as usize] = Some(level.clone());
        }
        self.used += order.len();
        for (number, bits) in placed {
            let bits: Option<Vec<BCDDFunction>> = bits.into_iter().collect();
            let bits = Rc::new(bits.expect("each bit has a place"));
            self.variables.insert(number, bits);
        }
    }

    fn constant(&self, value: bool) -> BCDDFunction {
        if value {
            self.one.clone()
        } else {
            self.zero.clone()
        }
    }

    fn each(
        &mut self,
        a: Term,
        b: Term,
        f: impl Fn(&BCDDFunction, &BCDDFunction) -> BCDDFunction,
    ) -> Vec<BCDDFunction> {
        let (a, b) = (self.of(a), self.of(b));
        a.iter().zip(b.iter()).map(|(a, b)| f(a, b)).collect()
    }

    /// The sum of two words and a carry.
    fn sum(&self, a: &[BCDDFunction], b: &[BCDDFunction], carry: bool) -> Vec<BCDDFunction> {
        let mut carry = self.constant(carry);
        let mut bits = Vec::new();
        for (a, b) in a.iter().zip(b) {
            let half = a.xor(b).expect(ROOM);
            bits.push(half.xor(&carry).expect(ROOM));
            carry = half.ite(&carry, a).expect(ROOM);
        }
        bits
    }

    /// A word shifted to the left, not past its width.
    fn shifted(&self, a: &[BCDDFunction], by: usize) -> Vec<BCDDFunction> {
        [&vec![self.zero.clone(); by], &a[..a.len() - by]].concat()
    }

    /// The diagrams of a term's bits.
    pub(crate) fn of(&mut self, term: Term) -> Bits {
        if let Some(bits) = self.of_terms.get(&term) {
            return bits.clone();
        }
        let width = term.width() as usize;
        let bits: Vec<BCDDFunction> = match term.node() {
            Node::Constant(value) => (0..width)
                .map(|k| self.constant(value >> k & 1 == 1))
                .collect(),
            Node::Variable(number) => {
                if !self.variables.contains_key(&number) {
                    let order: Vec<(Term, u32)> =
                        (0..width as u32).rev().map(|bit| (term, bit)).collect();
                    self.place(&order);
                }
                return self.variables[&number].clone();
            }
            Node::Not(a) => self.of(a).iter().map(|a| a.not().expect(ROOM)).collect(),
            Node::And(a, b) => self.each(a, b, |a, b| a.and(b).expect(ROOM)),
            Node::Or(a, b) => self.each(a, b, |a, b| a.or(b).expect(ROOM)),
            Node::Xor(a, b) => self.each(a, b, |a, b| a.xor(b).expect(ROOM)),
            Node::Left(a, by) => {
                let a = self.of(a);
                self.shifted(&a, by as usize)
            }
            Node::Right(a, by) => {
                let rest = self.of(a)[by as usize..].to_vec();
                [rest, vec![self.zero.clone(); by as usize]].concat()
            }
            Node::Add(a, b) => {
                let (a, b) = (self.of(a), self.of(b));
                self.sum(&a, &b, false)
            }
            Node::Subtract(a, b) => {
                let (a, b) = (self.of(a), self.of(term::not(b)));
                self.sum(&a, &b, true)
            }
            Node::Multiply(a, b) => {
                let (a, b) = (self.of(a), self.of(b));
                let mut all = vec![self.zero.clone(); width];
                for (k, bit) in b.iter().enumerate() {
                    let row: Vec<_> = a.iter().map(|a| a.and(bit).expect(ROOM)).collect();
                    all = self.sum(&all, &self.shifted(&row, k), false);
                }
                all
            }
            Node::Choose(condition, a, b) => {
                let condition = self.of(condition)[0].clone();
                self.each(a, b, |a, b| condition.ite(a, b).expect(ROOM))
            }
            Node::Equal(a, b) => {
                let same = self.each(a, b, |a, b| a.equiv(b).expect(ROOM));
                let all = same.into_iter().rev();
                all.reduce(|all, bit| all.and(&bit).expect(ROOM))
                    .into_iter()
                    .collect()
            }
            Node::Less(a, b) => {
                let (a, b) = (self.of(a), self.of(b));
                // From the lowest bit: a higher bit in which they differ decides anew.
                let mut less = self.zero.clone();
                for (a, b) in a.iter().zip(b.iter()) {
                    less = a.xor(b).expect(ROOM).ite(b, &less).expect(ROOM);
                }
                vec![less]
            }
            Node::Part(a, from) => self.of(a)[from as usize..][..width].to_vec(),
            Node::Join(high, low) => {
                let (high, low) = (self.of(high), self.of(low));
                [&low[..], &high].concat()
            }
            Node::SignExtend(a) => {
                let a = self.of(a);
                let sign = vec![a[a.len() - 1].clone(); width - a.len()];
                [&a[..], &sign].concat()
            }
        };
        assert_eq!(bits.len(), width);
        let bits = Rc::new(bits);
        self.of_terms.insert(term, bits.clone());
        bits
    }

    /// Returns values of the variables, by number, for which the assumption, one bit, holds and the words differ.
    pub(crate) fn difference(&mut self, assumption: Term, a: Term, b: Term) -> Option<Vec<u128>> {
        if a == b {
            return None;
        }
        let assumption = self.of(assumption)[0].clone();
        let (a, b) = (self.of(a), self.of(b));
        for (a, b) in a.iter().zip(b.iter()) {
            if a == b {
                continue;
            }
            let differ = a.xor(b).expect(ROOM).and(&assumption).expect(ROOM);
            if differ.satisfiable() {
                return Some(self.example(&differ));
            }
        }
        None
    }

    /// Values of the variables for which a function is true.
    fn example(&self, function: &BCDDFunction) -> Vec<u128> {
        let count = self
            .variables
            .keys()
            .max()
            .map_or(0, |&most| most as usize + 1);
        let mut values = vec![0; count];
        let mut rest = function.clone();
        for (&number, bits) in &self.variables {
            for (k, bit) in bits.iter().enumerate() {
                let with = rest.and(bit).expect(ROOM);
                if with.satisfiable() {
                    rest = with;
                    values[number as usize] |= 1 << k;
                } else {
                    rest = rest.and(&bit.not().expect(ROOM)).expect(ROOM);
                }
            }
        }
        values
    }
}
