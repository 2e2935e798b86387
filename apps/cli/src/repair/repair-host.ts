import { repairProgram, type AuthorFile, type RepairReport } from '@nccl-ts/relax';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { authorText } from '../module/author-text.ts';
import { loadEditedHost } from '../module/load-module.ts';
import type { HostProgram } from '@nccl-ts/checker';
import { UsageError } from '../usage-error.ts';

export interface RepairHostOptions {
  readonly ranks?: readonly number[];
  readonly lsaSize?: number;
  readonly local?: true;
  readonly grid?: number;
  readonly block?: number;
  readonly seconds: number;
  readonly patience: number;
  /** The most repairs to report. @default 3 */
  readonly most?: number;
  readonly onProgress: (doing: string) => void;
}

/** The repairs of a program, and the file that the first one changes, as it was. */
export interface FileRepair {
  readonly report: RepairReport;
  /** Absent if there is no error, or if the change is one of compiled PTX. */
  readonly file?: AuthorFile;
}

/** Finds changes that mend the kernels of a module with a host program. */
export async function repairHost(path: string, host: HostProgram, options: RepairHostOptions): Promise<FileRepair> {
  const { grid = 2, block = 32, ...search } = options;
  const folder = await mkdtemp(join(tmpdir(), 'nccl-ts-repair-'));
  let count = 0;
  let repaired: AuthorFile | undefined;
  try {
    const author = {
      host,
      textOf: (file: string) => {
        const text = authorText(file);
        if (text !== undefined) repaired = { path: file, text };
        return text;
      },
      load: async (edited: AuthorFile) => {
        const text = join(folder, `${count++}.txt`);
        await writeFile(text, edited.text);
        const loaded = await loadEditedHost(path, { file: edited.path, text });
        if (loaded === undefined) throw new UsageError(`${path} exports no function host`);
        return loaded;
      },
    };
    const report = await repairProgram(author, { ...search, launch: { grid, block } });
    return repaired === undefined ? { report } : { report, file: repaired };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
