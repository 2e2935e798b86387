import { constants, type Stats } from 'node:fs';
import { access, chmod, realpath, rename, rm, stat, writeFile as writeWhole } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { UsageError } from '../usage-error.ts';
import { WriteError } from './write-error.ts';
import { failureText } from './watch-output.ts';

/**
 * Writes a file completely or not at all: it writes a temporary file next to it, and renames that.
 * An existing file keeps its permissions, and a link stays a link. Pipes and devices are written
 * directly.
 *
 * @param option the option on the command line, for messages, such as `--sarif`
 * @throws UsageError if there cannot be such a file; WriteError if it could not be written, for
 *   example on a full disk.
 */
export async function writeFile(option: string, file: string, text: string): Promise<void> {
  try {
    await write(file, text);
  } catch (error) {
    throw refusal(option, file, error);
  }
}

/**
 * Checks, before any long work, that the file can be written.
 *
 * @throws UsageError if its folder is missing or not writable.
 */
export async function expectWritable(option: string, file: string): Promise<void> {
  try {
    await access(dirname(file), constants.W_OK);
    if ((await present(file))?.isDirectory() === true) throw new UsageError(`${option} ${file}: it is a folder`);
  } catch (error) {
    throw refusal(option, file, error);
  }
}

async function write(file: string, text: string): Promise<void> {
  const before = await present(file);
  if (before !== undefined && !before.isFile()) {
    await writeWhole(file, text);
    return;
  }
  const target = before === undefined ? file : await realpath(file);
  const temporary = join(dirname(target), `.${basename(target)}.${process.pid}.tmp`);
  try {
    await writeWhole(temporary, text, { flag: 'wx', flush: true });
    if (before !== undefined) await chmod(temporary, before.mode);
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true });
    // A file may be writable even if its folder is not, for example if only the file is mounted.
    if (before === undefined || !isCode(error, ['EACCES', 'EPERM', 'EBUSY', 'EXDEV', 'EROFS'])) throw error;
    await writeWhole(target, text);
  }
}

async function present(file: string): Promise<Stats | undefined> {
  try {
    return await stat(file);
  } catch (error) {
    if (isCode(error, ['ENOENT'])) return undefined;
    throw error;
  }
}

function isCode(error: unknown, codes: readonly string[]): error is NodeJS.ErrnoException {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}

/** A full or broken disk is not a mistake on the command line. */
function refusal(option: string, file: string, error: unknown): unknown {
  if (error instanceof UsageError || !(error instanceof Error)) return error;
  if (isCode(error, ['ENOSPC', 'EDQUOT', 'EFBIG', 'EIO'])) {
    return new WriteError(`cannot write ${option} ${file} because ${failureText(error)}; make room and run it again`);
  }
  return new UsageError(`${option} ${file}: ${error.message}`);
}
