//! Reading a program from its form.
//!
//! Form (all words; a list is its length followed by its items): `VERSION`; discipline (0 sc, 1 tso, 2 pso, 3 cam);
//! bound of the buffers; which registers states keep (0 all, 1 those declared and those alive, 2 those alive);
//! objects, each its address, size, sign, and a list of initial values; channels, each its capacity and width;
//! number of threads, then per thread: a flag for started, registers (flag for declared, initial value), entry point,
//! number of control points, list of committed points, list of points where it may stay, edges (source, target, guard, operations); terms of a final
//! state (0 thread register, or 1 cell); predicates, each a list of what it reads (0 cell; 1 thread register; 2 thread
//! and a list of points) and an expression over these; list of the predicates that are errors.
//! An operation is its number, in the order of `Operation` below, followed by its fields.

use crate::error::CoreError;
use crate::expr::{Expr, Register};
use crate::program::{CellId, EdgeId, Term, ThreadId};
use crate::words::Words;

use super::program::{
    Address, Channel, Discipline, Edge, Meeting, Object, Operation, Place, Predicate, Program, Registers,
    Rmw, Seen, Thread, Waits,
};

/// First word of the form; to be changed with it.
const VERSION: u64 = 2;

const WAITS: [Waits; 4] = [Waits::Nothing, Waits::OrderStores, Waits::Own, Waits::All];

impl Program {
    /// Reads a program.
    ///
    /// # Errors
    /// The form is malformed.
    pub fn decode(form: &[u64]) -> Result<Self, CoreError> {
        let mut words = Words::new(form);
        if words.word()? != VERSION {
            return Err(words.malformed("unknown version of the program form"));
        }
        let disciplines = [Discipline::Sc, Discipline::Tso, Discipline::Pso, Discipline::Cam];
        let discipline = disciplines[words.index(4, "unknown discipline")?];
        let bound = words.index(usize::MAX, "a bound")?;
        let registers =
            [Registers::All, Registers::Declared, Registers::Live][words.index(3, "unknown registers")?];
        let mut program = Self {
            discipline,
            bound,
            registers,
            cells: Vec::new(),
            words: 0,
            channels: Vec::new(),
            threads: Vec::new(),
            declared: Vec::new(),
            terms: Vec::new(),
            predicates: Vec::new(),
            errors: Vec::new(),
            objects: Vec::new(),
        };
        program.decode_objects(&mut words)?;
        for _ in 0..words.count()? {
            let channel = Channel {
                capacity: words.index(usize::MAX, "a capacity")?,
                width: words.index(usize::MAX, "a width")?,
            };
            program.channels.push(channel);
        }
        let threads = words.count()?;
        for _ in 0..threads {
            let thread =
                Decoding { program: &program, threads, registers: 0, points: 0 }.thread(&mut words)?;
            program.threads.push(thread.0);
            program.declared.push(thread.1);
        }
        for _ in 0..words.count()? {
            let term = program.term(&mut words)?;
            program.terms.push(term);
        }
        for _ in 0..words.count()? {
            let predicate = program.predicate(&mut words)?;
            program.predicates.push(predicate);
        }
        for _ in 0..words.count()? {
            program.errors.push(words.index(program.predicates.len(), "unknown predicate")?);
        }
        words.end()?;
        super::liveness::find(&mut program);
        Ok(program)
    }

    fn decode_objects(&mut self, words: &mut Words<'_>) -> Result<(), CoreError> {
        let mut bit = 0_usize;
        for _ in 0..words.count()? {
            let (address, size, signed) = (words.word()?, decode_size(words)?, words.flag()?);
            let first = small(self.cells.len())?;
            let count = words.count()?;
            for _ in 0..count {
                let bits = 8 * size as usize;
                bit = bit.next_multiple_of(bits.min(32));
                let place =
                    Place { word: bit / 32, shift: small(bit % 32)?, size, signed, initial: words.word()? };
                if place.initial & !place.mask() != 0 {
                    return Err(words.malformed("an initial value that does not fit"));
                }
                self.cells.push(place);
                bit += bits;
            }
            self.objects.push(Object { address, size, first, count: small(count)? });
        }
        self.objects.sort_by_key(|object| object.address);
        self.words = bit.div_ceil(32);
        Ok(())
    }

    fn term(&self, words: &mut Words<'_>) -> Result<Term, CoreError> {
        Ok(if words.flag()? {
            Term::Cell(self.cell(words)?)
        } else {
            let (thread, register) = self.register(words)?;
            Term::Register(thread, register)
        })
    }

    fn cell(&self, words: &mut Words<'_>) -> Result<CellId, CoreError> {
        Ok(CellId(small(words.index(self.cells.len(), "unknown cell")?)?))
    }

    fn register(&self, words: &mut Words<'_>) -> Result<(ThreadId, Register), CoreError> {
        let thread = words.index(self.threads.len(), "unknown thread")?;
        let register = words.index(self.threads[thread].registers.len(), "unknown register")?;
        Ok((ThreadId(small(thread)?), Register(small(register)?)))
    }

    fn predicate(&self, words: &mut Words<'_>) -> Result<Predicate, CoreError> {
        let mut seen = Vec::new();
        for _ in 0..words.count()? {
            seen.push(match words.word()? {
                0 => Seen::Cell(self.cell(words)?),
                1 => {
                    let (thread, register) = self.register(words)?;
                    Seen::Register(thread, register)
                }
                2 => {
                    let thread = words.index(self.threads.len(), "unknown thread")?;
                    let known = self.threads[thread].leaving.len();
                    let mut points = vec![false; known];
                    for _ in 0..words.count()? {
                        points[words.index(known, "unknown control point")?] = true;
                    }
                    Seen::At(ThreadId(small(thread)?), points)
                }
                _ => return Err(words.malformed("unknown observable")),
            });
        }
        let expression = Expr::decode(words, seen.len())?;
        Ok(Predicate { seen, expression })
    }
}

fn small(number: usize) -> Result<u32, CoreError> {
    u32::try_from(number).map_err(|_| CoreError::TooLarge("an index of 32 bits"))
}

fn decode_size(words: &mut Words<'_>) -> Result<u32, CoreError> {
    match words.word()? {
        1 => Ok(1),
        2 => Ok(2),
        4 => Ok(4),
        8 => Ok(8),
        _ => Err(words.malformed("a size is 1, 2, 4 or 8 bytes")),
    }
}

/// The bounds of the indices that occur in a thread.
struct Decoding<'p> {
    program: &'p Program,
    threads: usize,
    registers: usize,
    points: usize,
}

impl Decoding<'_> {
    fn thread(mut self, words: &mut Words<'_>) -> Result<(Thread, Vec<bool>), CoreError> {
        let started = words.flag()?;
        let (mut registers, mut declared) = (Vec::new(), Vec::new());
        for _ in 0..words.count()? {
            declared.push(words.flag()?);
            registers.push(words.word()?);
        }
        self.registers = registers.len();
        let entry = words.word()?;
        self.points = words.index(1 << 31, "too many control points")?.max(1);
        let is_point = |point: u64| point < self.points as u64;
        let entry = u32::try_from(entry)
            .ok()
            .filter(|_| is_point(entry))
            .ok_or_else(|| words.malformed("unknown control point"))?;
        let committed = self.some_points(words)?;
        let ends = self.some_points(words)?;
        let exits = self.some_points(words)?;
        let mut leaving = vec![Vec::new(); self.points];
        let mut edges = Vec::new();
        for number in 0..words.count()? {
            let source = words.index(self.points, "unknown control point")?;
            leaving[source].push(EdgeId(small(number)?));
            edges.push(self.edge(words)?);
        }
        let cleared = vec![Vec::new(); self.points];
        Ok((Thread { started, registers, entry, edges, leaving, committed, ends, exits, cleared }, declared))
    }

    fn some_points(&self, words: &mut Words<'_>) -> Result<Vec<bool>, CoreError> {
        let mut chosen = vec![false; self.points];
        for _ in 0..words.count()? {
            chosen[words.index(self.points, "unknown control point")?] = true;
        }
        Ok(chosen)
    }

    fn edge(&self, words: &mut Words<'_>) -> Result<Edge, CoreError> {
        let target = small(words.index(self.points, "unknown control point")?)?;
        let guard = self.expr(words)?;
        let guard = (guard.as_constant() != Some(1)).then_some(guard);
        let mut operations = Vec::new();
        for _ in 0..words.count()? {
            operations.push(self.operation(words)?);
        }
        let has = |is: fn(&Operation) -> bool| operations.iter().any(is);
        let is_instruction = has(|op| matches!(op, Operation::Load { exclusive: true, .. }))
            && has(|op| matches!(op, Operation::Store { exclusive: true, .. }));
        let meeting = operations.iter().enumerate().find_map(|(position, operation)| {
            let (channel, sends) = match *operation {
                Operation::Send { channel, .. } => (channel, true),
                Operation::Receive { channel, .. } => (channel, false),
                _ => return None,
            };
            let is_meeting = self.program.channels[channel].capacity == 0;
            is_meeting.then_some(Meeting { channel, position, sends })
        });
        let is_own = super::memo::is_own(&operations);
        Ok(Edge { target, guard, operations, is_instruction, is_own, meeting })
    }

    fn register(&self, words: &mut Words<'_>) -> Result<Register, CoreError> {
        Ok(Register(small(words.index(self.registers, "unknown register")?)?))
    }

    fn other(&self, words: &mut Words<'_>) -> Result<ThreadId, CoreError> {
        Ok(ThreadId(small(words.index(self.threads, "unknown thread")?)?))
    }

    fn expr(&self, words: &mut Words<'_>) -> Result<Expr, CoreError> {
        Expr::decode(words, self.registers)
    }

    /// An address and the size of the access.
    fn address(&self, words: &mut Words<'_>) -> Result<(Address, u32), CoreError> {
        let address = self.expr(words)?;
        let size = decode_size(words)?;
        let known = address.as_constant().and_then(|word| self.program.cell_at(word, size));
        Ok((known.map_or(Address::Computed(address, size), Address::Cell), size))
    }

    /// The bits to which a loaded value is sign-extended; 0 if it is not.
    fn extension(size: u32, words: &mut Words<'_>) -> Result<u32, CoreError> {
        Ok(if words.flag()? { 8 * size } else { 0 })
    }

    fn waits(words: &mut Words<'_>) -> Result<Waits, CoreError> {
        Ok(WAITS[words.index(WAITS.len(), "unknown kind of waiting")?])
    }

    fn operation(&self, words: &mut Words<'_>) -> Result<Operation, CoreError> {
        Ok(match words.word()? {
            0 => {
                let register = self.register(words)?;
                let (address, size) = self.address(words)?;
                let extension = Self::extension(size, words)?;
                Operation::Load { register, address, extension, exclusive: words.flag()? }
            }
            1 => Operation::Store {
                address: self.address(words)?.0,
                value: self.expr(words)?,
                exclusive: words.flag()?,
                atomic: Self::waits(words)?,
            },
            2 => Operation::StoreConditional {
                status: self.register(words)?,
                address: self.address(words)?.0,
                value: self.expr(words)?,
            },
            3 => Operation::Rmw(Box::new(self.rmw(words)?)),
            4 => Operation::Fence { waits: Self::waits(words)? },
            5 => Operation::Set { register: self.register(words)?, value: self.expr(words)? },
            6 => Operation::Assume { condition: self.expr(words)?, waits: words.flag()? },
            7 => Operation::Assert { condition: self.expr(words)? },
            8 => Operation::Choose {
                register: self.register(words)?,
                low: self.expr(words)?,
                high: self.expr(words)?,
            },
            9 => Operation::Spawn { thread: self.other(words)? },
            10 => Operation::Join { thread: self.other(words)? },
            11 => Operation::Lock { address: self.address(words)?.0 },
            12 => Operation::Unlock { address: self.address(words)?.0 },
            13 => self.send(words)?,
            14 => self.receive(words)?,
            _ => return Err(words.malformed("unknown operation")),
        })
    }

    fn rmw(&self, words: &mut Words<'_>) -> Result<Rmw, CoreError> {
        let register = self.register(words)?;
        let (address, size) = self.address(words)?;
        Ok(Rmw {
            register,
            address,
            value: self.expr(words)?,
            condition: self.expr(words)?,
            extension: Self::extension(size, words)?,
            locked: words.flag()?,
        })
    }

    fn send(&self, words: &mut Words<'_>) -> Result<Operation, CoreError> {
        let channel = words.index(self.program.channels.len(), "unknown channel")?;
        let mut values = Vec::new();
        for _ in 0..words.count()? {
            values.push(self.expr(words)?);
        }
        if values.len() != self.program.channels[channel].width {
            return Err(words.malformed("a message of the wrong width"));
        }
        Ok(Operation::Send { channel, values })
    }

    fn receive(&self, words: &mut Words<'_>) -> Result<Operation, CoreError> {
        let channel = words.index(self.program.channels.len(), "unknown channel")?;
        let mut registers = Vec::new();
        for _ in 0..words.count()? {
            registers.push(self.register(words)?);
        }
        if registers.len() != self.program.channels[channel].width {
            return Err(words.malformed("a message of the wrong width"));
        }
        Ok(Operation::Receive { channel, registers })
    }
}
