//! The room's tables, row by row.

mod closing;
mod control;
mod law;
mod marks;
mod orders;
mod passes;
mod records;
mod rig;
mod traps;
