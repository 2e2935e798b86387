import type { HostProgram } from '@nccl-ts/checker';
import { NcclError } from '@nccl-ts/core';
import type { Finding } from '@nccl-ts/findings';
import type { CheckedText } from '../../checked-text.ts';
import { editedSource, type Edit } from '../../edits.ts';
import { ChangedKernels, type LaunchedKernel } from '../../program/changed-kernels.ts';
import { checkProgram, type ProgramInput, type ProgramLaunch } from '../../program/check-program.ts';
import { editsOf } from '../search.ts';
import type { Strengthening } from '../strengthening.ts';
import type { AuthorFile } from '../../author-range.ts';
import type { AuthorProgram } from './author-program.ts';
import { namesEdits } from './device-names.ts';

/** A program whose kernel is repaired, and its checks. */
export class RepairedProgram {
  readonly #author: AuthorProgram;
  readonly #options: ProgramLaunch;
  readonly #hosts = new Map<string, Promise<HostProgram>>();
  #file: AuthorFile | undefined;
  /** The kernels that the program as it is launches. */
  kernels: readonly LaunchedKernel[] = [];
  /** True if the host uses `scale`. */
  scales = false;

  constructor(author: AuthorProgram, options: ProgramLaunch) {
    this.#author = author;
    this.#options = options;
  }

  /** Returns the file that is repaired: that of the kernel in a finding. */
  repairs({ labels, deadlock }: Finding): AuthorFile {
    const names = [...labels, ...(deadlock?.waiting ?? [])].map(({ kernel }) => kernel);
    const { module } = this.kernels.find((one) => names.includes(one.module.name)) ?? this.kernels[0] ?? {};
    const path = module?.sources[0]?.locate?.(0)?.file;
    const text = path === undefined ? undefined : this.#author.textOf(path);
    if (path === undefined || text === undefined) {
      const where = path === undefined ? 'no file of its author is known' : `it is in ${path}`;
      throw new NcclError(
        'NCCL_INVALID_USAGE',
        `repair: the kernel ${module?.name ?? ''} cannot be changed, because ${where}.`,
      );
    }
    this.#file = { path, text };
    return this.#file;
  }

  /** Without changes, an empty text. */
  textOf(changes: readonly Strengthening[]): string {
    return this.#file === undefined || changes.length === 0
      ? ''
      : editedSource(this.#file.text, editsOfProgram(changes, this.#file.text));
  }

  async check(text: string, input: ProgramInput): Promise<CheckedText> {
    const kernels = new ChangedKernels([], input);
    const onScale = (): void => {
      this.scales = true;
    };
    // Threads of one rank can be repaired too, and are not asked to communicate.
    const options = { local: true, ...this.#options, onScale };
    if (text === '') {
      const trial = await checkProgram(this.#author.host, input, kernels, options);
      if (this.kernels.length === 0) this.kernels = kernels.kernels;
      return trial;
    }
    try {
      return await checkProgram(await this.#host(text), input, kernels, options);
    } catch (error) {
      // The change does not fit there. For example, a name is not known in that scope.
      return { kind: 'none', why: String(error) };
    }
  }

  async #host(text: string): Promise<HostProgram> {
    if (this.#file === undefined) throw new TypeError('no file is repaired');
    const host = this.#hosts.get(text) ?? this.#author.load({ path: this.#file.path, text });
    this.#hosts.set(text, host);
    return host;
  }
}

/**
 * The edits of changes, and those by which functions take the names that they need, with the line
 * ends of the text.
 */
export function editsOfProgram(changes: readonly Strengthening[], text: string): readonly Edit[] {
  const edits = [...editsOf(changes), ...namesEdits(changes.flatMap(({ needs = [] }) => needs))];
  if (!text.includes('\r\n')) return edits;
  return edits.map(({ span, with: other }) => ({ span, with: other.replaceAll(/\r?\n/gu, '\r\n') }));
}
