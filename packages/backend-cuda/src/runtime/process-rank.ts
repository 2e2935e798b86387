import { expectInteger, NcclError } from '@nccl-ts/core';
import type { ProcessRank } from '@nccl-ts/transport';

/** The rank of this process in its world. */
export interface ResolvedProcessRank {
  readonly rank: number;
  readonly nRanks: number;
  /** The GPU on this host; undefined if it is unknown. */
  readonly localRank: number | undefined;
  /** Undefined if `NCCL_COMM_ID` has NCCL's own address of rank 0. */
  readonly uniqueId: Uint8Array | undefined;
}

type ProcessEnvironment = Readonly<Record<string, string | undefined>>;

/**
 * The variables in which process launchers pass the rank: torchrun and others, Open MPI, MPICH,
 * Slurm.
 */
const variables = {
  rank: ['RANK', 'OMPI_COMM_WORLD_RANK', 'PMI_RANK', 'SLURM_PROCID'],
  nRanks: ['WORLD_SIZE', 'OMPI_COMM_WORLD_SIZE', 'PMI_SIZE', 'SLURM_NTASKS'],
  localRank: ['LOCAL_RANK', 'OMPI_COMM_WORLD_LOCAL_RANK', 'MPI_LOCALRANKID', 'SLURM_LOCALID'],
} as const;

/**
 * Fills in missing fields from the environment.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT` if a field is neither given nor in the environment, or
 *   is invalid.
 */
export function resolveProcessRank(given: ProcessRank, env: ProcessEnvironment): ResolvedProcessRank {
  const nRanks = expectInteger('nRanks', given.nRanks ?? required('nRanks', env), 1);
  const rank = expectInteger('rank', given.rank ?? required('rank', env), 0, nRanks - 1);
  const { uniqueId } = given;
  if (uniqueId !== undefined && uniqueId.length !== 128) {
    throw new NcclError('NCCL_INVALID_ARGUMENT', `uniqueId must have 128 bytes; given ${uniqueId.length}.`);
  }
  const commId = env['NCCL_COMM_ID'];
  if (uniqueId === undefined && nRanks > 1 && (commId === undefined || commId === '')) {
    throw new NcclError(
      'NCCL_INVALID_ARGUMENT',
      'The processes of a world find each other by a unique id: pass uniqueId, made by one of them with ' +
        'Communicator.getUniqueId and brought to all, or set NCCL_COMM_ID to host:port of rank 0 for all of them.',
    );
  }
  return { rank, nRanks, localRank: fromEnvironment('localRank', env), uniqueId };
}

function required(what: 'rank' | 'nRanks', env: ProcessEnvironment): number {
  const found = fromEnvironment(what, env);
  if (found !== undefined) return found;
  throw new NcclError(
    'NCCL_INVALID_ARGUMENT',
    `${what} is neither passed nor in the environment: none of ${variables[what].join(', ')} is set.`,
  );
}

function fromEnvironment(what: keyof typeof variables, env: ProcessEnvironment): number | undefined {
  for (const name of variables[what]) {
    const text = env[name];
    if (text === undefined || text === '') continue;
    if (/^\d+$/.test(text)) return Number(text);
    throw new NcclError('NCCL_INVALID_ARGUMENT', `${name} must be an integer of 0 or more; it is '${text}'.`);
  }
  return undefined;
}
