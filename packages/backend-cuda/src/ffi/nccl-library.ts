import {
  isResultCode,
  NcclError,
  ncclVersionText,
  resultDescription,
  resultName,
  type ErrorCode,
  type ResultCode,
} from '@nccl-ts/core';
import type { NcclInstallation } from '../discovery/find-nccl.ts';
import {
  integerResult,
  type Koffi,
  type NativeFunction,
  type NativeLibrary,
  type NativeStruct,
  type NativeValue,
} from './koffi.ts';
import { ncclSignatures, uniqueIdType, type NcclFunction } from './nccl-signatures.ts';

/** The fields of `ncclTeam`. */
export interface NativeTeam {
  readonly nRanks: number;
  readonly rank: number;
  readonly stride: number;
}

const codes: Readonly<Record<ResultCode, ErrorCode>> = {
  0: 'NCCL_INTERNAL_ERROR',
  1: 'NCCL_UNHANDLED_CUDA_ERROR',
  2: 'NCCL_SYSTEM_ERROR',
  3: 'NCCL_INTERNAL_ERROR',
  4: 'NCCL_INVALID_ARGUMENT',
  5: 'NCCL_INVALID_USAGE',
  6: 'NCCL_REMOTE_ERROR',
  7: 'NCCL_INTERNAL_ERROR',
  8: 'NCCL_TIMEOUT',
};

/**
 * NCCL itself. `check` throws for every result except success, with the text of NCCL's last error.
 */
export class NcclLibrary {
  readonly installation: NcclInstallation;
  readonly #library: NativeLibrary;
  readonly #uniqueId: NativeStruct;
  readonly #functions = new Map<NcclFunction, NativeFunction>();
  readonly #out = new BigUint64Array(1);
  readonly #lastError: NativeFunction;
  readonly #teamLsa: NativeFunction;

  /**
   * @throws NcclError `NCCLTS_NCCL_MISMATCH` if the library and the headers have different
   *   versions.
   */
  constructor(koffi: Koffi, library: NativeLibrary, installation: NcclInstallation) {
    this.installation = installation;
    this.#library = library;
    this.#uniqueId = koffi.struct(null, { internal: koffi.array('uint8_t', 128) });
    this.#lastError = library.func('ncclGetLastError', 'str', ['uint64_t']);
    const version = this.number('ncclGetVersion');
    if (version !== installation.version) {
      throw new NcclError(
        'NCCLTS_NCCL_MISMATCH',
        `NCCL in ${installation.home} (${installation.from}) has headers of ${ncclVersionText(installation.version)}, but ` +
          `${installation.library} is ${ncclVersionText(version)}. Kernels that are compiled against one and run with the other read the wrong ` +
          'fields: install both of one version, or set NCCL_HOME to where they are.',
        { details: { headers: installation.version, library: version } },
      );
    }
    const team = koffi.struct(null, { nRanks: 'int', rank: 'int', stride: 'int' });
    this.#teamLsa = library.func('ncclTeamLsa', team, ['uint64_t']);
  }

  native(name: NcclFunction): NativeFunction {
    let native = this.#functions.get(name);
    if (native === undefined) {
      const parameters = ncclSignatures[name].map((type) => (type === uniqueIdType ? this.#uniqueId : type));
      native = this.#library.func(name, 'int', parameters);
      this.#functions.set(name, native);
    }
    return native;
  }

  call(name: NcclFunction, ...args: readonly NativeValue[]): number {
    return integerResult(this.native(name)(...args));
  }

  /** @throws NcclError */
  check(name: NcclFunction, ...args: readonly NativeValue[]): void {
    const result = this.call(name, ...args);
    if (result !== 0) throw this.failure(name, result);
  }

  /** Returns an error of NCCL, with the text of its last error (of `comm`, or of the process). */
  failure(name: string, result: number, comm = 0): NcclError {
    const known = isResultCode(result) ? result : 3;
    const last = this.#lastError(comm);
    const said = typeof last === 'string' ? last.trim() : '';
    return new NcclError(
      codes[known],
      `${name} failed with nccl${resultName(known)} (${result}): ${resultDescription(known)}` +
        `${said === '' ? '' : ` NCCL says: ${said}`} (NCCL_DEBUG=WARN makes it print more.)`,
      { details: { call: name, result, lastError: said } },
    );
  }

  handle(name: NcclFunction, ...args: readonly NativeValue[]): number {
    this.#out[0] = 0n;
    this.check(name, this.#out, ...args);
    return Number(this.#out[0]);
  }

  number(name: NcclFunction, ...args: readonly NativeValue[]): number {
    return this.handle(name, ...args);
  }

  /** Returns the asynchronous error of a communicator: 0 for none, 7 while work is in progress. */
  asyncError(comm: number): number {
    this.#out[0] = 0n;
    this.check('ncclCommGetAsyncError', comm, this.#out);
    return Number(this.#out[0]);
  }

  /**
   * Calls `body` between `ncclGroupStart` and `ncclGroupEnd`. If `body` throws, the group still
   * ends.
   */
  group(body: () => void): void {
    this.check('ncclGroupStart');
    try {
      body();
    } catch (error) {
      this.call('ncclGroupEnd');
      throw error;
    }
    this.check('ncclGroupEnd');
  }

  uniqueId(): Uint8Array<ArrayBuffer> {
    const id = new Uint8Array(128);
    this.check('ncclGetUniqueId', id);
    return id;
  }

  /** Converts a unique id to an argument of `ncclCommInitRank`. */
  uniqueIdArgument(id: Uint8Array): object {
    return { internal: id };
  }

  /**
   * Returns the ranks that can load and store each other's memory, as `comm` sees them. `nRanks` is
   * 0 if NCCL does not know.
   */
  teamLsa(comm: number): NativeTeam {
    const team: unknown = this.#teamLsa(comm);
    const member = (name: string): number => {
      const value: unknown = typeof team === 'object' && team !== null ? Reflect.get(team, name) : undefined;
      return typeof value === 'number' ? value : 0;
    };
    return { nRanks: member('nRanks'), rank: member('rank'), stride: member('stride') };
  }
}

/**
 * @throws NcclError `NCCLTS_NCCL_NOT_FOUND` if the library cannot be loaded;
 *   `NCCLTS_NCCL_MISMATCH`.
 */
export function loadNccl(koffi: Koffi, installation: NcclInstallation): NcclLibrary {
  let library: NativeLibrary;
  try {
    library = koffi.load(installation.library);
  } catch (error) {
    throw new NcclError(
      'NCCLTS_NCCL_NOT_FOUND',
      `${installation.library} cannot be loaded: ${error instanceof Error ? error.message : String(error)}`,
      { cause: error, details: { library: installation.library } },
    );
  }
  return new NcclLibrary(koffi, library, installation);
}
