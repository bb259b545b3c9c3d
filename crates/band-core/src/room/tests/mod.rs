//! The room's tables, row by row.

mod closing;
mod control;
mod detached;
mod law;
mod marks;
mod offers;
mod orders;
mod passes;
mod records;
mod rig;
mod traps;
