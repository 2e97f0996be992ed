//! A thread's part of a state, encoded as bytes.
//!
//! Numbers are written seven bits to a byte, lowest first, so that small ones are short.

use membar_ir::program::CellId;

/// A buffer entry: a store on its way to memory, or a mark between stores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Entry {
    /// Later stores are not flushed before earlier ones.
    Barrier,
    /// This thread begins when what was stored before is in memory.
    Start(u32),
    /// A store.
    Store(CellId, u64),
}

impl Entry {
    /// The cell of a store.
    pub(super) fn cell(self) -> Option<CellId> {
        match self {
            Self::Store(cell, _) => Some(cell),
            _ => None,
        }
    }
}

/// A store-conditional in the buffer: nobody else's store may come between what was read and it. Both are counted in
/// entries of the cell that must reach memory first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Promise {
    pub(super) cell: CellId,
    /// Up to the one that was read; 0 if that is in memory.
    pub(super) read: u32,
    /// Up to the store itself.
    pub(super) written: u32,
}

/// A thread's part of a state.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct ThreadState {
    pub(super) started: bool,
    pub(super) point: u32,
    pub(super) registers: Vec<u64>,
    /// Oldest first.
    pub(super) buffer: Vec<Entry>,
    /// Reservations of exclusive loads: the cell, and own entries up to the one that was read.
    pub(super) monitor: Vec<(CellId, u32)>,
    /// Reservations that a store in the buffer has used.
    pub(super) promises: Vec<Promise>,
}

impl ThreadState {
    /// Copies without allocating where there is room.
    pub(super) fn copy_from(&mut self, other: &Self) {
        self.started = other.started;
        self.point = other.point;
        self.registers.clone_from(&other.registers);
        self.buffer.clone_from(&other.buffer);
        self.monitor.clone_from(&other.monitor);
        self.promises.clone_from(&other.promises);
    }

    /// Writes it down.
    pub(super) fn write(&self, bytes: &mut Vec<u8>) {
        bytes.clear();
        let has_more = !(self.buffer.is_empty() && self.monitor.is_empty() && self.promises.is_empty());
        put(bytes, u64::from(self.point) << 2 | u64::from(has_more) << 1 | u64::from(self.started));
        for &register in &self.registers {
            put(bytes, register);
        }
        if !has_more {
            return;
        }
        put(bytes, self.buffer.len() as u64);
        for entry in &self.buffer {
            match *entry {
                Entry::Barrier => put(bytes, 0),
                Entry::Start(thread) => {
                    put(bytes, 1);
                    put(bytes, u64::from(thread));
                }
                Entry::Store(cell, value) => {
                    put(bytes, u64::from(cell.0) + 2);
                    put(bytes, value);
                }
            }
        }
        put(bytes, self.monitor.len() as u64);
        for &(cell, entries) in &self.monitor {
            put(bytes, u64::from(cell.0));
            put(bytes, u64::from(entries));
        }
        for promise in &self.promises {
            put(bytes, u64::from(promise.cell.0));
            put(bytes, u64::from(promise.read));
            put(bytes, u64::from(promise.written));
        }
    }

    /// Reads what `write` wrote of a thread with `registers` registers.
    pub(super) fn read(&mut self, bytes: &[u8], registers: usize) {
        let mut at = bytes;
        let first = take(&mut at);
        self.started = first & 1 == 1;
        self.point = small(first >> 2);
        self.registers.clear();
        for _ in 0..registers {
            let register = take(&mut at);
            self.registers.push(register);
        }
        self.buffer.clear();
        self.monitor.clear();
        self.promises.clear();
        if first & 2 == 0 {
            return;
        }
        for _ in 0..take(&mut at) {
            let entry = match take(&mut at) {
                0 => Entry::Barrier,
                1 => Entry::Start(small(take(&mut at))),
                cell => Entry::Store(CellId(small(cell - 2)), take(&mut at)),
            };
            self.buffer.push(entry);
        }
        for _ in 0..take(&mut at) {
            let item = (CellId(small(take(&mut at))), small(take(&mut at)));
            self.monitor.push(item);
        }
        while !at.is_empty() {
            let promise = Promise {
                cell: CellId(small(take(&mut at))),
                read: small(take(&mut at)),
                written: small(take(&mut at)),
            };
            self.promises.push(promise);
        }
    }
}

/// Appends a number.
#[expect(clippy::cast_possible_truncation, reason = "seven bits at a time")]
pub(super) fn put(bytes: &mut Vec<u8>, mut word: u64) {
    while word >= 0x80 {
        bytes.push(word as u8 | 0x80);
        word >>= 7;
    }
    bytes.push(word as u8);
}

/// Takes the next number; 0 behind the end.
pub(super) fn take(bytes: &mut &[u8]) -> u64 {
    let mut word = 0;
    let mut shift = 0;
    while let Some((&byte, rest)) = bytes.split_first() {
        *bytes = rest;
        word |= u64::from(byte & 0x7f) << shift;
        shift += 7;
        if byte < 0x80 || shift > 63 {
            break;
        }
    }
    word
}

fn small(word: u64) -> u32 {
    u32::try_from(word).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_can_be_read() {
        let locals = [
            ThreadState::default(),
            ThreadState {
                started: true,
                point: 300,
                registers: vec![0, 127, 128, u64::MAX],
                ..ThreadState::default()
            },
            ThreadState {
                started: true,
                point: 1,
                registers: vec![5; 4],
                buffer: vec![
                    Entry::Store(CellId(0), 9),
                    Entry::Barrier,
                    Entry::Start(2),
                    Entry::Store(CellId(3), 0),
                ],
                monitor: vec![(CellId(1), 2)],
                promises: vec![Promise { cell: CellId(2), read: 0, written: 1 }],
            },
        ];
        let mut bytes = Vec::new();
        for local in locals {
            local.write(&mut bytes);
            let mut other = ThreadState::default();
            other.read(&bytes, local.registers.len());
            assert_eq!(other, local);
        }
    }
}
