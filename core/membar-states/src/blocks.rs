//! Files of blocks for what does not fit into memory.
//!
//! They are in the directory for temporary files and lose their names as soon as they are open, so that what is written to
//! them is gone however the search ends. A block that does not come back as it was written is an error, never an answer.

use std::env::temp_dir;
use std::fmt::Display;
use std::fs::{File, remove_file};
use std::io::{Error, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};

use membar_ir::error::{CoreError, Failure};
use membar_ir::limits::Stopped;

use super::tables::spread_bytes;

/// A file to which blocks are appended; it is closed, and gone, when this is dropped.
#[derive(Debug, Default)]
pub(super) struct BlockFile {
    /// None before there is a block.
    file: Option<File>,
    /// Per block, where it ends and what its bytes hash to.
    blocks: Vec<(u64, u64)>,
}

impl BlockFile {
    /// How many blocks there are.
    pub(super) fn len(&self) -> usize {
        self.blocks.len()
    }

    /// How long the file is.
    pub(super) fn size(&self) -> u64 {
        self.start_of(self.blocks.len())
    }

    /// Bytes of memory held.
    pub(super) fn bytes(&self) -> usize {
        size_of::<(u64, u64)>() * self.blocks.capacity()
    }

    fn start_of(&self, block: usize) -> u64 {
        block.checked_sub(1).map_or(0, |before| self.blocks[before].0)
    }

    /// Appends a block.
    pub(super) fn append(&mut self, block: &[u8]) -> Result<(), Failure> {
        let start = self.size();
        self.file_at(start).and_then(|mut file| file.write_all(block)).map_err(|error| failure(&error))?;
        self.blocks.push((start + block.len() as u64, spread_bytes(block)));
        Ok(())
    }

    /// Reads a block; `bytes` are overwritten.
    pub(super) fn read(&mut self, block: usize, bytes: &mut Vec<u8>) -> Result<(), CoreError> {
        let start = self.start_of(block);
        let (end, hash) = self.blocks[block];
        bytes.clear();
        let done = self.file_at(start).and_then(|file| file.take(end - start).read_to_end(bytes));
        done.map_err(|error| unusable(&error))?;
        if bytes.len() as u64 != end - start || spread_bytes(bytes) != hash {
            return Err(unusable("it does not hold what was written to it"));
        }
        Ok(())
    }

    fn file_at(&mut self, place: u64) -> Result<&File, Error> {
        let mut file: &File = match &mut self.file {
            Some(file) => file,
            none => none.insert(nameless_file()?),
        };
        file.seek(SeekFrom::Start(place))?;
        Ok(file)
    }
}

/// A new file, open and without a name.
fn nameless_file() -> Result<File, Error> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    loop {
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let path: PathBuf = temp_dir().join(format!("membar-{}-{count}.states", process::id()));
        match File::options().read(true).write(true).create_new(true).open(&path) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
            Ok(file) => {
                remove_file(&path)?;
                return Ok(file);
            }
        }
    }
}

/// Why a file cannot be used: a disk that is full ends the search, everything else is an error.
fn failure(error: &Error) -> Failure {
    match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => {
            Failure::Stopped(Stopped::FullDisk)
        }
        _ => unusable(error).into(),
    }
}

fn unusable(why: impl Display) -> CoreError {
    CoreError::Disk(format!("a file of states in {} cannot be used: {why}", temp_dir().display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_come_back_as_they_were_written() {
        let mut file = BlockFile::default();
        let blocks: Vec<Vec<u8>> = (0..50_u8).map(|block| vec![block; usize::from(block) * 7]).collect();
        for block in &blocks {
            file.append(block).unwrap();
        }
        let mut bytes = vec![1];
        for (number, block) in blocks.iter().enumerate().rev() {
            file.read(number, &mut bytes).unwrap();
            assert_eq!(&bytes, block);
        }
        assert_eq!(file.size(), blocks.iter().map(|block| block.len() as u64).sum::<u64>());
    }

    #[test]
    fn changed_and_missing_bytes_are_errors() {
        let mut bytes = Vec::new();
        for is_cut in [false, true] {
            let mut file = BlockFile::default();
            file.append(&[1; 100]).unwrap();
            file.append(&[2; 100]).unwrap();
            if is_cut {
                file.file_at(0).unwrap().set_len(150).unwrap();
            } else {
                file.file_at(120).unwrap().write_all(&[3]).unwrap();
            }
            file.read(0, &mut bytes).unwrap();
            assert!(matches!(file.read(1, &mut bytes), Err(CoreError::Disk(_))));
        }
    }

    #[test]
    fn a_full_disk_is_a_limit() {
        for kind in [ErrorKind::StorageFull, ErrorKind::QuotaExceeded] {
            assert!(matches!(failure(&kind.into()), Failure::Stopped(Stopped::FullDisk)));
        }
        assert!(matches!(failure(&ErrorKind::PermissionDenied.into()), Failure::Error(CoreError::Disk(_))));
    }
}
