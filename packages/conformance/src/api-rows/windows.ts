import type { ApiRow } from './api-row.ts';

/** Windows, pointers into them, and symmetric pointers. */
export const windows: readonly ApiRow[] = [
  {
    id: '1.4/getLocalPointer',
    nccl: 'ncclGetLocalPointer',
    here: 'lsa.localPointer',
    cases: ['windows/local-pointer', 'windows/byte-offsets'],
    traps: [
      {
        trap: 'past the end of the window, or before its start',
        cases: ['checks/load-outside', 'checks/store-outside'],
      },
      { trap: 'a null window, whose offset becomes an address: no launch accepts one', cases: ['windows/null-window'] },
    ],
  },
  {
    id: '1.4/getLsaPointer',
    nccl: 'ncclGetLsaPointer',
    here: 'lsa.pointer',
    cases: ['windows/lsa-pointer', 'windows/store-to-peers'],
    traps: [{ trap: 'a peer outside the domain', cases: ['checks/peer-outside'] }],
  },
  {
    id: '1.4/getPeerPointer',
    nccl: 'ncclGetPeerPointer',
    here: 'lsa.peerPointer',
    cases: ['windows/peer-pointer'],
    traps: [
      {
        trap: 'a world rank in another domain: the guide promises null, but the code has no test',
        cases: ['traps/pointers/peer-outside-domain'],
      },
    ],
  },
  {
    id: '1.4/canGetPeerPointer',
    nccl: 'ncclDevCommCanGetPeerPointer',
    here: 'lsa.canGetPeerPointer',
    cases: ['windows/can-get-peer-pointer'],
  },
  {
    id: '1.4/getPeerPointerOfTeam',
    nccl: 'ncclGetPeerPointer with a team',
    here: 'lsa.teamPointer',
    cases: ['windows/team-pointer'],
    traps: [{ trap: 'a member in another domain', cases: ['traps/pointers/team-peer-outside'] }],
  },
  {
    id: '1.4/getMultimemPointer',
    nccl: 'ncclGetMultimemPointer, ncclGetLsaMultimemPointer',
    here: 'multimem.pointer, multimem.lsaPointer',
    cases: ['multimem/pointers', 'multimem/teams'],
    traps: [
      {
        trap: 'of a communicator without lsaMultimem: a null pointer',
        cases: ['multimem/null-pointers', 'multimem/null-pointer-access'],
      },
      { trap: 'past the end of the window, or before its start', cases: ['multimem/outside'] },
      { trap: 'an offset that is not a multiple of the size of its type', cases: ['multimem/misaligned'] },
    ],
  },
  {
    id: '1.4/getResourceBufferLocalPointer',
    nccl: 'ncclGetResourceBufferLocalPointer',
    here: 'resourceLocalPointer',
    cases: ['windows/resource-buffers'],
  },
  {
    id: '1.4/getResourceBufferLsaPointer',
    nccl: 'ncclGetResourceBufferLsaPointer',
    here: 'resourceLsaPointer',
    cases: ['windows/resource-buffers'],
  },
  {
    id: '1.4/getResourceBufferPeerPointer',
    nccl: 'ncclGetResourceBufferPeerPointer',
    here: 'resourcePeerPointer',
    cases: ['windows/team-pointer'],
    traps: [{ trap: 'a member in another domain', cases: ['traps/pointers/team-peer-outside'] }],
  },
  {
    id: '1.4/getResourceBufferMultimemPointer',
    nccl: 'ncclGetResourceBufferMultimemPointer, ncclGetResourceBufferLsaMultimemPointer',
    here: 'resourceMultimemPointer, resourceLsaMultimemPointer',
    cases: ['multimem/resource-buffers'],
  },
  {
    id: '1.4/getResourceBuffer',
    nccl: 'ncclGetResourceBuffer',
    here: 'resourceBuffer',
    cases: ['windows/resource-sym-ptr'],
  },
  {
    id: '1.4/getResourceBufferOffset',
    nccl: 'ncclGetResourceBufferOffset',
    here: 'resourceBufferOffset',
    cases: ['windows/resource-sym-ptr'],
  },
  {
    id: '1.4/findWindow',
    nccl: 'ncclFindWindow',
    here: 'findWindow',
    cases: ['windows/find-window', 'windows/find-resource-window'],
    traps: [{ trap: 'a pointer into no window', cases: ['traps/pointers/find-window-outside'] }],
  },
  {
    id: '1.4/symPtr',
    nccl: 'ncclSymPtr: localPtr, lsaPtr, peerPtr',
    here: 'symPtr: localPtr, lsaPtr, peerPtr, teamPtr',
    cases: ['windows/sym-ptr', 'windows/team-pointer'],
    traps: [{ trap: 'with a null window: no launch accepts one', cases: ['windows/null-window'] }],
  },
  {
    id: '1.4/symPtrArithmetic',
    nccl: 'ncclSymPtr: + - += -=, conversion',
    here: 'symPtr: add, cast',
    cases: ['windows/sym-ptr-arithmetic'],
    traps: [{ trap: 'moved out of its window', cases: ['traps/pointers/sym-ptr-past-end'] }],
  },
  {
    id: '1.4/symPtrMultimem',
    nccl: 'ncclSymPtr: multimemPtr, lsaMultimemPtr',
    here: 'symPtr: multimemPtr, lsaMultimemPtr',
    cases: ['multimem/pointers'],
  },
];
