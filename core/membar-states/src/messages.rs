//! Channels: queues of messages, and rendezvous of two threads.

use membar_ir::expr::{Expr, Register};
use membar_ir::program::Edge;

use super::program::Program;
use super::stepper::{Done, Halt, Stepper};
use super::thread_state::{ThreadState, take};

impl Stepper {
    /// Takes, as one step, an edge that sends without room in between and one that receives: the sender's operations
    /// up to its send, the receiver's whole edge, the rest of the sender's.
    pub(super) fn take_meeting(
        &mut self,
        program: &Program,
        leaves: &[u32],
        sender: (usize, &ThreadState, &Edge),
        receiver: (usize, &Edge),
        position: usize,
    ) -> Done {
        let (thread, local, edge) = sender;
        let (before, after) = edge.operations.split_at(position + 1);
        self.begin(leaves, thread, local);
        self.run_part(program, edge, before)?;
        self.finish(program)?;
        self.resume(program, receiver.0);
        std::mem::swap(&mut self.values, &mut self.partner_values);
        let done = self.run(program, receiver.1);
        std::mem::swap(&mut self.values, &mut self.partner_values);
        done?;
        self.finish(program)?;
        self.resume(program, thread);
        self.run_part(program, edge, after)?;
        self.arrive(program, edge);
        self.finish(program)
    }

    /// Goes on with `thread` in the middle of a step.
    fn resume(&mut self, program: &Program, thread: usize) {
        let mut local = std::mem::take(&mut self.local);
        self.open_other(program, thread, &mut local);
        self.local = local;
        self.thread = thread;
        self.fresh = 0;
        self.is_first_exclusive = true;
    }

    pub(super) fn send(&mut self, program: &Program, channel: usize, values: &[Expr]) -> Done {
        self.drain(program)?;
        if program.channels[channel].capacity == 0 {
            let message = values.iter().map(|value| value.evaluate(&self.local.registers, &mut self.stack));
            self.message = Some(message.collect());
            return Ok(());
        }
        let mut words = self.words_of(program, channel);
        let room = program.channels[channel].capacity;
        if words[0] >= room as u64 {
            return Err(Halt::Waits);
        }
        words[0] += 1;
        for value in values {
            let value = self.value(value);
            words.push(value);
        }
        self.put_words(program, channel, &words)
    }

    pub(super) fn receive(&mut self, program: &Program, channel: usize, registers: &[Register]) -> Done {
        self.drain(program)?;
        if program.channels[channel].capacity == 0 {
            let message = self.message.take().ok_or(Halt::Waits)?;
            for (&register, value) in registers.iter().zip(message) {
                self.set(register, value);
                self.values.push(value);
            }
            return Ok(());
        }
        let mut words = self.words_of(program, channel);
        if words[0] == 0 {
            return Err(Halt::Waits);
        }
        words[0] -= 1;
        for (&register, value) in registers.iter().zip(words.drain(1..=registers.len())) {
            self.set(register, value);
            self.values.push(value);
        }
        self.put_words(program, channel, &words)
    }

    /// The number of messages in a channel, then all their values, oldest first.
    fn words_of(&mut self, program: &Program, channel: usize) -> Vec<u64> {
        let number = self.read_number(program.contents_of(channel));
        let mut bytes = self.contents[channel].get(number);
        let mut words = vec![take(&mut bytes)];
        while !bytes.is_empty() {
            words.push(take(&mut bytes));
        }
        words
    }

    fn put_words(&mut self, program: &Program, channel: usize, words: &[u64]) -> Done {
        let number = self.number_of_contents(channel, words).ok_or(Halt::Full)?;
        self.write_word(program.contents_of(channel), u64::from(number));
        Ok(())
    }
}
