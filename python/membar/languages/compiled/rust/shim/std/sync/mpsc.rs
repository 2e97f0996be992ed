//! Channels: messages lie in a row; what is sent happens before it is received, and nothing else is ordered.
pub use real::sync::mpsc::{RecvError, RecvTimeoutError, SendError, TryRecvError, TrySendError};

use crate::primitives::{self, Word};
use core::cell::{Cell, UnsafeCell};
use core::fmt;
use core::mem::{needs_drop, MaybeUninit};
use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use core::time::Duration;

const MOST_MESSAGES: usize = 8;
const EMPTY: u32 = 0;
const FULL: u32 = 1;
/// There is no message here, and never will be: all senders are gone.
const LAST: u32 = 2;
/// What `sent` and `taken` have besides their counts once the receiver is gone.
const GONE: u32 = 0x4000_0000;

struct Slot<T> {
    state: Word,
    message: UnsafeCell<MaybeUninit<T>>,
}

struct Channel<T> {
    slots: [Slot<T>; MOST_MESSAGES],
    sent: Word,
    taken: Word,
    senders: Word,
}

/// The channel that both ends know, in memory of its own: who gives it back, and when, nobody can tell.
struct Shared<T>(*const Channel<T>);
impl<T> Clone for Shared<T> {
    #[inline]
    fn clone(&self) -> Shared<T> {
        Shared(self.0)
    }
}
impl<T> core::ops::Deref for Shared<T> {
    type Target = Channel<T>;
    #[inline]
    fn deref(&self) -> &Channel<T> {
        unsafe { &*self.0 }
    }
}

impl<T> Channel<T> {
    #[inline]
    fn new() -> Shared<T> {
        let slots = [const { Slot { state: Word::new(EMPTY), message: UnsafeCell::new(MaybeUninit::uninit()) } };
            MOST_MESSAGES];
        let channel: Channel<T> = Channel { slots, sent: Word::new(0), taken: Word::new(0), senders: Word::new(1) };
        Shared(primitives::room(channel) as *const Channel<T>)
    }
    #[inline]
    fn slot(&self, number: u32) -> &Slot<T> {
        if number as usize >= MOST_MESSAGES {
            primitives::cut(c"channels through which more than 7 messages go");
        }
        &self.slots[number as usize]
    }
    #[inline]
    fn put(&self, number: u32, message: T) {
        let slot = self.slot(number);
        unsafe { (*slot.message.get()).write(message) };
        slot.state.store(FULL, Release);
    }
    /// Whoever counts its message before the receiver is gone sends it, if there is or will be room.
    #[inline]
    fn send(&self, message: T, bound: Option<u32>) -> Result<(), SendError<T>> {
        let number = self.sent.fetch_add(1, Relaxed);
        if number >= GONE {
            return Err(SendError(message));
        }
        match bound {
            None => self.put(number, message),
            Some(0) => {
                self.put(number, message);
                let taken = self.taken.load(Acquire);
                primitives::wait((taken & !GONE > number) | (taken >= GONE));
                if taken & !GONE <= number {
                    return Err(SendError(unsafe { (*self.slot(number).message.get()).assume_init_read() }));
                }
            }
            Some(bound) => {
                let taken = self.taken.load(Acquire);
                let has_room = (taken & !GONE) + bound > number;
                primitives::wait(has_room | (taken >= GONE));
                if !has_room {
                    return Err(SendError(message));
                }
                self.put(number, message);
            }
        }
        Ok(())
    }
    #[inline]
    fn try_send(&self, message: T, bound: u32) -> Result<(), TrySendError<T>> {
        let taken = self.taken.load(Acquire);
        if bound == 0 {
            primitives::cut(c"try_send on a channel without room");
        }
        let room = (taken & !GONE) + bound;
        let number = primitives::add_within(&self.sent, 0, room - 1, 1);
        if number >= GONE {
            return Err(TrySendError::Disconnected(message));
        }
        if number >= room {
            return Err(TrySendError::Full(message));
        }
        self.put(number, message);
        Ok(())
    }
    #[inline]
    fn drop_sender(&self) {
        if self.senders.fetch_sub(1, AcqRel) == 1 {
            let number = self.sent.fetch_add(1, Relaxed);
            if number < GONE {
                self.slot(number).state.store(LAST, Release);
            }
        }
    }
}

/// See `std::sync::mpsc::Sender`.
pub struct Sender<T>(Shared<T>);
/// See `std::sync::mpsc::SyncSender`.
pub struct SyncSender<T>(Shared<T>, u32);
/// See `std::sync::mpsc::Receiver`.
pub struct Receiver<T> {
    channel: Shared<T>,
    bound: Option<u32>,
    next: Cell<u32>,
}
unsafe impl<T: Send> Send for Sender<T> {}
unsafe impl<T: Send> Sync for Sender<T> {}
unsafe impl<T: Send> Send for SyncSender<T> {}
unsafe impl<T: Send> Sync for SyncSender<T> {}
unsafe impl<T: Send> Send for Receiver<T> {}

#[inline]
pub fn channel<T>() -> (Sender<T>, Receiver<T>) {
    let channel = Channel::new();
    (Sender(channel.clone()), Receiver { channel, bound: None, next: Cell::new(0) })
}
#[inline]
pub fn sync_channel<T>(bound: usize) -> (SyncSender<T>, Receiver<T>) {
    let (channel, bound) = (Channel::new(), bound as u32);
    (SyncSender(channel.clone(), bound), Receiver { channel, bound: Some(bound), next: Cell::new(0) })
}

impl<T> Sender<T> {
    #[inline]
    pub fn send(&self, message: T) -> Result<(), SendError<T>> {
        self.0.send(message, None)
    }
}
impl<T> SyncSender<T> {
    #[inline]
    pub fn send(&self, message: T) -> Result<(), SendError<T>> {
        self.0.send(message, Some(self.1))
    }
    #[inline]
    pub fn try_send(&self, message: T) -> Result<(), TrySendError<T>> {
        self.0.try_send(message, self.1)
    }
}
impl<T> Clone for Sender<T> {
    #[inline]
    fn clone(&self) -> Sender<T> {
        self.0.senders.fetch_add(1, Relaxed);
        Sender(self.0.clone())
    }
}
impl<T> Clone for SyncSender<T> {
    #[inline]
    fn clone(&self) -> SyncSender<T> {
        self.0.senders.fetch_add(1, Relaxed);
        SyncSender(self.0.clone(), self.1)
    }
}
impl<T> Drop for Sender<T> {
    #[inline]
    fn drop(&mut self) {
        self.0.drop_sender();
    }
}
impl<T> Drop for SyncSender<T> {
    #[inline]
    fn drop(&mut self) {
        self.0.drop_sender();
    }
}

impl<T> Receiver<T> {
    /// Takes the message that a slot holds.
    #[inline]
    fn take(&self, number: u32, state: u32) -> Result<T, RecvError> {
        if state == LAST {
            return Err(RecvError);
        }
        let message = unsafe { (*self.channel.slot(number).message.get()).assume_init_read() };
        self.next.set(number + 1);
        if self.bound.is_some() {
            self.channel.taken.store(number + 1, Release);
        }
        Ok(message)
    }
    #[inline]
    pub fn recv(&self) -> Result<T, RecvError> {
        let number = self.next.get();
        let state = self.channel.slot(number).state.load(Acquire);
        primitives::wait(state != EMPTY);
        self.take(number, state)
    }
    #[inline]
    pub fn try_recv(&self) -> Result<T, TryRecvError> {
        let number = self.next.get();
        match self.channel.slot(number).state.load(Acquire) {
            EMPTY => Err(TryRecvError::Empty),
            state => self.take(number, state).map_err(|_| TryRecvError::Disconnected),
        }
    }
    /// The time is over whenever there is no message.
    #[inline]
    pub fn recv_timeout(&self, _: Duration) -> Result<T, RecvTimeoutError> {
        self.try_recv().map_err(|error| match error {
            TryRecvError::Empty => RecvTimeoutError::Timeout,
            TryRecvError::Disconnected => RecvTimeoutError::Disconnected,
        })
    }
    #[inline]
    pub fn iter(&self) -> Iter<'_, T> {
        Iter(self)
    }
    #[inline]
    pub fn try_iter(&self) -> TryIter<'_, T> {
        TryIter(self)
    }
}
impl<T> Drop for Receiver<T> {
    /// Drops what was sent and nobody took; a sender that has found room is waited for.
    #[inline]
    fn drop(&mut self) {
        let mut number = self.next.get();
        let sent = self.channel.sent.fetch_or(GONE, Relaxed);
        let end = match self.bound {
            Some(bound) => {
                self.channel.taken.store(GONE + number, Release);
                sent.min(number + bound)
            }
            None => sent,
        };
        while needs_drop::<T>() && number < end {
            let slot = self.channel.slot(number);
            let state = slot.state.load(Acquire);
            primitives::wait(state != EMPTY);
            if state == FULL {
                unsafe { (*slot.message.get()).assume_init_drop() };
            }
            number += 1;
        }
    }
}

/// See `std::sync::mpsc::Iter`.
pub struct Iter<'a, T: 'a>(&'a Receiver<T>);
/// See `std::sync::mpsc::TryIter`.
pub struct TryIter<'a, T: 'a>(&'a Receiver<T>);
/// See `std::sync::mpsc::IntoIter`.
pub struct IntoIter<T>(Receiver<T>);

impl<T> Iterator for Iter<'_, T> {
    type Item = T;
    #[inline]
    fn next(&mut self) -> Option<T> {
        self.0.recv().ok()
    }
}
impl<T> Iterator for TryIter<'_, T> {
    type Item = T;
    #[inline]
    fn next(&mut self) -> Option<T> {
        self.0.try_recv().ok()
    }
}
impl<T> Iterator for IntoIter<T> {
    type Item = T;
    #[inline]
    fn next(&mut self) -> Option<T> {
        self.0.recv().ok()
    }
}
impl<'a, T> IntoIterator for &'a Receiver<T> {
    type Item = T;
    type IntoIter = Iter<'a, T>;
    #[inline]
    fn into_iter(self) -> Iter<'a, T> {
        self.iter()
    }
}
impl<T> IntoIterator for Receiver<T> {
    type Item = T;
    type IntoIter = IntoIter<T>;
    #[inline]
    fn into_iter(self) -> IntoIter<T> {
        IntoIter(self)
    }
}
impl<T> fmt::Debug for Sender<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Sender { .. }")
    }
}
impl<T> fmt::Debug for SyncSender<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SyncSender { .. }")
    }
}
impl<T> fmt::Debug for Receiver<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Receiver { .. }")
    }
}
