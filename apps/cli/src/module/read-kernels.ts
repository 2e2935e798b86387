import { resolve } from 'node:path';
import { kernelFiles, type Harness } from '@nccl-ts/harness';
import { UsageError } from '../usage-error.ts';
import { readPtx, type PtxText } from './read-ptx.ts';

/** The places of a harness and of its kernels. */
export interface HarnessPlace {
  /** The name on the command line. */
  readonly path: string;
  /** The folder of the module, from which the harness names files. */
  readonly folder: string;
  /** The file that the command line names, in place of the harness's `kernel`. */
  readonly kernelFile?: string;
  /** Texts that stand in place of the files that the harness names. */
  readonly texts?: ReadonlyMap<string, PtxText>;
}

/** The kernels of a harness. Files of CUDA C++ are compiled, each once. */
export class ReadKernels {
  readonly #place: HarnessPlace;
  readonly #compilerFlags: readonly string[];
  readonly #reading = new Map<string, Promise<PtxText>>();
  readonly #texts = new Map<string, PtxText>();

  constructor(place: HarnessPlace, compilerFlags: readonly string[]) {
    this.#place = place;
    this.#compilerFlags = compilerFlags;
  }

  /**
   * Reads the files that the harness names for a number of ranks.
   *
   * @throws UsageError if a kernel has no file, or a file cannot be compiled.
   */
  async read(harness: Harness, ranks: number): Promise<void> {
    const { path, texts } = this.#place;
    for (const file of kernelFiles(harness, ranks)) {
      if (file === undefined) throw noKernel(path);
      const given = texts?.get(file);
      const options = { standIn: harness.standIn };
      const reading =
        this.#reading.get(file) ??
        (given === undefined ? readPtx(this.#fileOf(file), this.#compilerFlags, options) : Promise.resolve(given));
      this.#reading.set(file, reading);
      this.#texts.set(file, await reading);
    }
  }

  /** The text of a file that was read. @throws UsageError if a kernel has no file. */
  textOf(file: string | undefined): PtxText {
    const text = file === undefined ? undefined : this.#texts.get(file);
    if (text === undefined) throw noKernel(this.#place.path);
    return text;
  }

  /** Returns the text of an author's file that some PTX names; `undefined` if it cannot be read. */
  source(path: string): string | undefined {
    for (const one of this.#texts.values()) {
      const found = one.source(path);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #fileOf(file: string): string {
    const { folder, kernelFile } = this.#place;
    return file === kernelFile ? file : resolve(folder, file);
  }
}

function noKernel(path: string): UsageError {
  return new UsageError(
    `${path}: the harness names no kernel; write kernel: 'file.cu' in it, or run it with its kernel: FILE.cu --harness ${path}`,
  );
}
