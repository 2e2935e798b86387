import { row, type Row } from './row.ts';

/** Loads that reduce, and stores to all, through multicast addresses. */
export const multimem: readonly Row[] = [
  row('ncclDevCommRequirements::lsaMultimem ncclTeamRequirements::multimem', 'multimem/null-pointers multimem/teams'),
  row('', 'multimem/load-reduce/*', {
    form: 'multimem.ld_reduce',
    here: 'multimem:loadReduce',
    traps: {
      'at an address that is not a multicast address': 'multimem/ordinary-pointer',
      'at a null pointer': 'multimem/null-pointer-access',
    },
  }),
  row('', 'multimem/store/*', {
    form: 'multimem.st',
    here: 'multimem:store',
    traps: { 'at an address that is not a multicast address': 'multimem/ordinary-pointer' },
  }),
  row('', 'multimem/reduce/*', {
    form: 'multimem.red',
    here: 'multimem:reduce',
    traps: { 'at a null pointer': 'multimem/null-pointer-access' },
  }),
  row('ncclGetMultimemPointer', 'multimem/pointers multimem/teams', {
    form: 'access at a multicast address',
    traps: {
      'ld, st or atom at it': 'multimem/plain-access',
      'outside of its window': 'multimem/outside',
      'a vector at an offset that is aligned only for its elements': 'multimem/misaligned',
      'a caller outside of the team': 'multimem/outside-team',
    },
  }),
];
