//! One index at a time: what it means, what it becomes, and how many there are.

mod against_reference;
mod like;
mod moves;
mod published;
