import { of } from '../entry.ts';
import { row, type Row } from './row.ts';

/** Windows, pointers into them, and symmetric pointers. */
export const windows: readonly Row[] = [
  row('ncclGetLocalPointer', 'windows/local-pointer windows/byte-offsets', {
    traps: {
      'past the end of the window, or before its start': 'checks/load-outside checks/store-outside',
      'a null window, whose offset becomes an address: no launch accepts one': 'windows/null-window',
    },
  }),
  row('ncclGetLsaPointer', 'windows/lsa-pointer windows/store-to-peers', {
    traps: { 'a peer outside the domain': 'checks/peer-outside' },
  }),
  row('ncclGetPeerPointer', 'windows/peer-pointer', {
    traps: {
      'a world rank in another domain: the guide promises null, but the code has no test':
        'traps/pointers/peer-outside-domain',
    },
  }),
  row('ncclDevCommCanGetPeerPointer', 'windows/can-get-peer-pointer'),
  row('ncclGetPeerPointer', 'windows/team-pointer', {
    form: 'with a team',
    traps: { 'a member in another domain': 'traps/pointers/team-peer-outside' },
  }),
  row('ncclGetMultimemPointer ncclGetLsaMultimemPointer', 'multimem/pointers multimem/teams', {
    traps: {
      'of a communicator without lsaMultimem: a null pointer': 'multimem/null-pointers multimem/null-pointer-access',
      'past the end of the window, or before its start': 'multimem/outside',
      'an offset that is not a multiple of the size of its type': 'multimem/misaligned',
    },
  }),
  row('ncclGetResourceBufferLocalPointer', 'windows/resource-buffers'),
  row('ncclGetResourceBufferLsaPointer', 'windows/resource-buffers'),
  row('ncclGetResourceBufferPeerPointer', 'windows/team-pointer', {
    traps: { 'a member in another domain': 'traps/pointers/team-peer-outside' },
  }),
  row('ncclGetResourceBufferMultimemPointer ncclGetResourceBufferLsaMultimemPointer', 'multimem/resource-buffers'),
  row('ncclGetResourceBuffer', 'windows/resource-sym-ptr'),
  row('ncclGetResourceBufferOffset', 'windows/resource-sym-ptr'),
  row('ncclFindWindow', 'windows/find-window windows/find-resource-window', {
    traps: { 'a pointer into no window': 'traps/pointers/find-window-outside' },
  }),
  row(of('ncclSymPtr', 'localPtr lsaPtr peerPtr'), 'windows/sym-ptr windows/team-pointer', {
    traps: { 'with a null window: no launch accepts one': 'windows/null-window' },
  }),
  row('operator+ operator- ncclSymPtr::operator+= ncclSymPtr::operator-=', 'windows/sym-ptr-arithmetic', {
    traps: { 'moved out of its window': 'traps/pointers/sym-ptr-past-end' },
  }),
  row(of('ncclSymPtr', 'multimemPtr lsaMultimemPtr'), 'multimem/pointers'),
];
