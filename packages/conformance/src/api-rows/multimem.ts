import type { ApiRow } from './api-row.ts';

/** Loads that reduce, and stores to all, through multicast addresses. */
export const multimem: readonly ApiRow[] = [
  {
    id: '1.10/lsaMultimem',
    nccl: 'ncclDevCommRequirements::lsaMultimem, ncclTeamRequirements::multimem',
    here: 'createDevComm({ lsaMultimem }), createDevComm({ teamRequirementsList: [{ team, multimem }] })',
    cases: ['multimem/null-pointers', 'multimem/teams'],
  },
  {
    id: '1.10/loadReduce',
    nccl: 'multimem.ld_reduce',
    here: 'multimem.loadReduce',
    cases: [
      'multimem/load-reduce/i32',
      'multimem/load-reduce/u32',
      'multimem/load-reduce/i64',
      'multimem/load-reduce/u64',
      'multimem/load-reduce/f32',
      'multimem/load-reduce/f64',
      'multimem/load-reduce/f16',
      'multimem/load-reduce/bf16',
      'multimem/load-reduce/e4m3',
      'multimem/load-reduce/e5m2',
    ],
    traps: [
      { trap: 'at an address that is not a multicast address', cases: ['multimem/ordinary-pointer'] },
      { trap: 'at a null pointer', cases: ['multimem/null-pointer-access'] },
    ],
  },
  {
    id: '1.10/store',
    nccl: 'multimem.st',
    here: 'multimem.store',
    cases: [
      'multimem/store/i32',
      'multimem/store/u32',
      'multimem/store/i64',
      'multimem/store/u64',
      'multimem/store/f32',
      'multimem/store/f64',
      'multimem/store/f16',
      'multimem/store/bf16',
      'multimem/store/e4m3',
      'multimem/store/e5m2',
    ],
    traps: [{ trap: 'at an address that is not a multicast address', cases: ['multimem/ordinary-pointer'] }],
  },
  {
    id: '1.10/reduce',
    nccl: 'multimem.red',
    here: 'multimem.reduce',
    cases: [
      'multimem/reduce/i32',
      'multimem/reduce/u32',
      'multimem/reduce/i64',
      'multimem/reduce/u64',
      'multimem/reduce/f32',
      'multimem/reduce/f64',
      'multimem/reduce/f16',
      'multimem/reduce/bf16',
    ],
    traps: [{ trap: 'at a null pointer', cases: ['multimem/null-pointer-access'] }],
  },
  {
    id: '1.10/multimemAccess',
    nccl: 'a multicast address',
    here: 'a Ptr of multimem.pointer or multimem.lsaPointer',
    cases: ['multimem/pointers', 'multimem/teams'],
    traps: [
      { trap: 'ld, st or atom at it', cases: ['multimem/plain-access'] },
      { trap: 'outside of its window', cases: ['multimem/outside'] },
      { trap: 'a vector at an offset that is aligned only for its elements', cases: ['multimem/misaligned'] },
      { trap: 'a caller outside of the team', cases: ['multimem/outside-team'] },
    ],
  },
];
