import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { expectWritable, writeFile } from '../src/output/write-file.ts';
import { WriteError } from '../src/output/write-error.ts';
import { UsageError } from '../src/usage-error.ts';

const folder = mkdtempSync(join(tmpdir(), 'nccl-ts-write-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('writeFile replaces a file completely, and leaves no other file beside it', async () => {
  const file = join(folder, 'report.json');
  writeFileSync(file, 'old');
  chmodSync(file, 0o640);
  const inode = statSync(file).ino;
  await writeFile('--json', file, 'new');
  expect(readFileSync(file, 'utf8')).toBe('new');
  expect(statSync(file).mode & 0o777).toBe(0o640);
  // Another file with the same name: a reader of the old one can read it to its end.
  expect(statSync(file).ino).not.toBe(inode);
  expect(readdirSync(folder)).toEqual(['report.json']);
});

test('writeFile keeps a symbolic link', async () => {
  const [file, link] = [join(folder, 'behind'), join(folder, 'link')];
  writeFileSync(file, 'old');
  symlinkSync(file, link);
  await writeFile('--out', link, 'new');
  expect(readFileSync(file, 'utf8')).toBe('new');
  expect(readFileSync(link, 'utf8')).toBe('new');
});

test('writeFile reports a full disk, and a path that cannot be a file as wrong usage', async () => {
  if (process.platform === 'linux') {
    await expect(writeFile('--sarif', '/dev/full', 'x')).rejects.toThrow(WriteError);
    await expect(writeFile('--sarif', '/dev/full', 'x')).rejects.toThrow(
      /--sarif \/dev\/full because the disk is full \(ENOSPC\)/,
    );
  }
  const nowhere = join(folder, 'nowhere', 'x');
  await expect(writeFile('--sarif', nowhere, 'x')).rejects.toThrow(UsageError);
  await expect(expectWritable('--sarif', nowhere)).rejects.toThrow(/--sarif .*ENOENT/);
  await expect(expectWritable('--sarif', folder)).rejects.toThrow(/it is a folder/);
});

test('writeFile leaves nothing if it fails', async () => {
  const own = mkdtempSync(join(folder, 'own-'));
  const taken = join(own, 'taken');
  // The temporary name cannot become the file's: a folder has it.
  const write = writeFile('--out', join(taken, '..', 'missing', 'x'), 'new');
  await expect(write).rejects.toThrow(UsageError);
  expect(readdirSync(own)).toEqual([]);
});
