//! Loads, stores and flushes: what a step does to buffers and memory.

use membar_ir::program::CellId;
use membar_ir::words::narrow;

use super::program::{BufferKind, Program};
use super::stepper::{Done, Halt, Stepper};
use super::thread_state::{Entry, Promise, ThreadState};

impl Stepper {
    /// What a load of `cell` returns.
    pub(super) fn seen(&mut self, program: &Program, cell: CellId) -> u64 {
        let mut own = self.local.buffer.iter().filter_map(|entry| match *entry {
            Entry::Store(place, value) if place == cell => Some(value),
            _ => None,
        });
        own.next_back().unwrap_or_else(|| self.read_memory(program, cell))
    }

    /// What memory holds.
    pub(super) fn read_memory(&mut self, program: &Program, cell: CellId) -> u64 {
        self.read_word(program.layout[cell.index()])
    }

    pub(super) fn entries(&self, cell: CellId) -> u32 {
        let count = self.local.buffer.iter().filter(|entry| entry.cell() == Some(cell)).count();
        narrow(count)
    }

    pub(super) fn reserve(&mut self, cell: CellId) {
        if self.is_first_exclusive {
            self.local.monitor.clear();
        }
        self.is_first_exclusive = false;
        let entries = self.entries(cell);
        self.local.monitor.retain(|item| item.0 != cell);
        self.local.monitor.push((cell, entries));
        self.local.monitor.sort_unstable();
    }

    /// Closes a reservation: nobody else's store may come between what was read and the next own entry.
    pub(super) fn promise(&mut self, cell: CellId) -> Done {
        let place = self.local.monitor.iter().position(|item| item.0 == cell).ok_or(Halt::Blocked)?;
        let (_, read) = self.local.monitor.remove(place);
        let written = self.entries(cell) + 1;
        self.local.promises.push(Promise { cell, read, written });
        self.local.promises.sort_unstable();
        Ok(())
    }

    pub(super) fn store(&mut self, program: &Program, cell: CellId, value: u64, at_once: bool) -> Done {
        let value = value & program.layout[cell.index()].mask();
        if at_once || program.discipline == BufferKind::Sc {
            self.drain(program)?;
            self.local.promises.retain(|promise| promise.cell != cell);
            return self.write_memory(program, cell, value);
        }
        let counts = |entry: &&Entry| match program.discipline {
            BufferKind::Tso => entry.cell().is_some(),
            _ => entry.cell() == Some(cell),
        };
        let used = self.local.buffer.iter().filter(counts).count();
        if used >= program.bound {
            return Err(self.full_buffer());
        }
        self.local.buffer.push(Entry::Store(cell, value));
        self.fresh += 1;
        Ok(())
    }

    /// Writes memory at once; stores to ghost variables never wait in a buffer, so that none is overtaken.
    pub(super) fn store_ghost(&mut self, program: &Program, cell: CellId, value: u64) -> Done {
        let value = value & program.layout[cell.index()].mask();
        self.write_memory(program, cell, value)
    }

    /// Why a store is not taken that finds the buffer full.
    fn full_buffer(&self) -> Halt {
        let stores = self.local.buffer.iter().filter(|entry| entry.cell().is_some()).count();
        if stores == self.fresh { Halt::NeverFits } else { Halt::BufferFull }
    }

    /// Waits until the buffers of all others are empty.
    pub(super) fn await_others(&mut self, program: &Program) -> Done {
        let mut other = std::mem::take(&mut self.other);
        let mut is_empty = true;
        let own = self.thread;
        for thread in (0..program.threads.len()).filter(|&thread| thread != own) {
            self.open_other(program, thread, &mut other);
            is_empty &= other.buffer.is_empty();
        }
        self.other = other;
        if is_empty { Ok(()) } else { Err(Halt::Drains) }
    }

    /// Goes on with an empty buffer: waits for older entries, flushes those of this very step.
    pub(super) fn drain(&mut self, program: &Program) -> Done {
        let stores = self.local.buffer.iter().filter(|entry| entry.cell().is_some()).count();
        if stores > self.fresh {
            return Err(Halt::Drains);
        }
        while let Some(position) = self.local.buffer.iter().position(|entry| entry.cell().is_some()) {
            self.flush(program, position)?;
        }
        self.fresh = 0;
        self.settle(program)
    }

    pub(super) fn flush(&mut self, program: &Program, position: usize) -> Done {
        let Entry::Store(cell, value) = self.local.buffer.remove(position) else {
            return Ok(());
        };
        for item in &mut self.local.monitor {
            if item.0 == cell {
                item.1 = item.1.saturating_sub(1);
            }
        }
        self.local.promises.retain_mut(|promise| {
            if promise.cell != cell {
                return true;
            }
            promise.read = promise.read.saturating_sub(1);
            promise.written -= 1;
            promise.written > 0
        });
        self.write_memory(program, cell, value)
    }

    /// Removes marks with no store before them, starts their threads, and sorts where order is free.
    pub(super) fn settle(&mut self, program: &Program) -> Done {
        while let Some(&first) = self.local.buffer.first() {
            match first {
                Entry::Store(..) => break,
                Entry::Barrier => {}
                Entry::Start(thread) => self.start_thread(program, thread as usize)?,
            }
            self.local.buffer.remove(0);
        }
        if program.discipline == BufferKind::Pso {
            for part in self.local.buffer.split_mut(|entry| entry.cell().is_none()) {
                part.sort_by_key(|entry| entry.cell());
            }
        }
        Ok(())
    }

    pub(super) fn start_thread(&mut self, program: &Program, thread: usize) -> Done {
        let mut other = std::mem::take(&mut self.other);
        self.open_other(program, thread, &mut other);
        let is_started = other.started || thread == self.thread;
        other.started = true;
        let number = self.number_of(thread, &other);
        self.other = other;
        if is_started {
            return Err(Halt::Refused("a thread is started more than once"));
        }
        self.write_word(program.part_of(thread), u64::from(number.ok_or(Halt::Full)?));
        Ok(())
    }

    pub(super) fn write_memory(&mut self, program: &Program, cell: CellId, value: u64) -> Done {
        self.write_word(program.layout[cell.index()], value);
        if !self.has_exclusives {
            return Ok(());
        }
        self.trace.is_spoilt = true;
        let mut other = std::mem::take(&mut self.other);
        let done = self.notify_reservers(program, cell, &mut other);
        self.other = other;
        done
    }

    /// Who reserved a cell learns of a store to it.
    pub(super) fn notify_reservers(
        &mut self,
        program: &Program,
        cell: CellId,
        other: &mut ThreadState,
    ) -> Done {
        let own = self.thread;
        for thread in (0..program.threads.len()).filter(|&thread| thread != own) {
            self.open_other(program, thread, other);
            let forbids = |promise: &Promise| promise.cell == cell && promise.read == 0;
            if other.promises.iter().any(forbids) {
                return Err(Halt::Blocked);
            }
            if other.monitor.contains(&(cell, 0)) {
                other.monitor.retain(|&item| item != (cell, 0));
                let number = self.number_of(thread, other).ok_or(Halt::Full)?;
                self.leaves[program.words + thread] = number;
            }
        }
        Ok(())
    }
}
