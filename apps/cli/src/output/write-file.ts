import { constants, type Stats } from 'node:fs';
import { access, chmod, realpath, rename, rm, stat, writeFile as writeWhole } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { UsageError } from '../usage-error.ts';
import { WriteError } from './write-error.ts';
import { failureText } from './watch-output.ts';

/**
 * Writes a file that is there as a whole afterwards, or not at all: it is written under a temporary
 * name beside, which becomes the file's. A file that was there keeps its rights; what it is reached
 * by, if it is a link, stays. Pipes and devices are written to as they are.
 *
 * @param option what the command line calls the file, for messages: `--sarif`.
 * @throws UsageError where there can be no such file; WriteError where it could not be written, as
 *   on a full disk.
 */
export async function writeFile(option: string, file: string, text: string): Promise<void> {
  try {
    await write(file, text);
  } catch (error) {
    throw refusal(option, file, error);
  }
}

/**
 * Makes sure, before anything takes its time, that there may be such a file.
 *
 * @throws UsageError where its folder is missing or may not be written to.
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
    // A file may be writable where its folder is not, or where it alone is mounted.
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

/** Where the disk is to blame, it is no mistake of the command line. */
function refusal(option: string, file: string, error: unknown): unknown {
  if (error instanceof UsageError || !(error instanceof Error)) return error;
  if (isCode(error, ['ENOSPC', 'EDQUOT', 'EFBIG', 'EIO'])) {
    return new WriteError(`cannot write ${option} ${file} because ${failureText(error)}; make room and run it again`);
  }
  return new UsageError(`${option} ${file}: ${error.message}`);
}
