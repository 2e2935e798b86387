import { describe, expect, it } from 'vitest';
import { resolveProcessRank } from '../../src/runtime/process-rank.ts';

const uniqueId = new Uint8Array(128);

describe('the rank of a process', () => {
  it('is the configured one', () => {
    expect(resolveProcessRank({ rank: 3, nRanks: 8, uniqueId }, { RANK: '1', LOCAL_RANK: '2' })).toEqual({
      rank: 3,
      nRanks: 8,
      localRank: 2,
      uniqueId,
    });
  });

  it.each([
    ['torchrun', { RANK: '5', WORLD_SIZE: '16', LOCAL_RANK: '1' }],
    ['Open MPI', { OMPI_COMM_WORLD_RANK: '5', OMPI_COMM_WORLD_SIZE: '16', OMPI_COMM_WORLD_LOCAL_RANK: '1' }],
    ['MPICH', { PMI_RANK: '5', PMI_SIZE: '16', MPI_LOCALRANKID: '1' }],
    ['Slurm', { SLURM_PROCID: '5', SLURM_NTASKS: '16', SLURM_LOCALID: '1' }],
  ])('is taken from %s', (_launcher, env) => {
    expect(resolveProcessRank({}, { ...env, NCCL_COMM_ID: 'host:1234' })).toEqual({
      rank: 5,
      nRanks: 16,
      localRank: 1,
      uniqueId: undefined,
    });
  });

  it('is never guessed', () => {
    expect(() => resolveProcessRank({}, {})).toThrowErrorMatchingInlineSnapshot(
      `[NcclError: nRanks is neither passed nor in the environment: none of WORLD_SIZE, OMPI_COMM_WORLD_SIZE, PMI_SIZE, SLURM_NTASKS is set.]`,
    );
    expect(() => resolveProcessRank({ rank: 2, nRanks: 2, uniqueId }, {})).toThrowErrorMatchingInlineSnapshot(
      `[NcclError: rank must be an integer from 0 to 1; given 2.]`,
    );
    expect(() => resolveProcessRank({ rank: 0, nRanks: 2 }, {})).toThrowErrorMatchingInlineSnapshot(
      `[NcclError: The processes of a world find each other by a unique id: pass uniqueId, made by one of them with Communicator.getUniqueId and brought to all, or set NCCL_COMM_ID to host:port of rank 0 for all of them.]`,
    );
    expect(() => resolveProcessRank({ nRanks: 2 }, { RANK: 'zero' })).toThrowErrorMatchingInlineSnapshot(
      `[NcclError: RANK must be an integer of 0 or more; it is 'zero'.]`,
    );
    expect(() =>
      resolveProcessRank({ rank: 0, nRanks: 2, uniqueId: new Uint8Array(4) }, {}),
    ).toThrowErrorMatchingInlineSnapshot(`[NcclError: uniqueId must have 128 bytes; given 4.]`);
    expect(resolveProcessRank({ rank: 0, nRanks: 1 }, {})).toMatchObject({ nRanks: 1 });
  });
});
