//! One turn: effects and the verdict.
