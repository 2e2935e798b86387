import { lacking, leftOut, mapped, membersMapped, of, type SurfaceEntry } from '../entry.ts';

/**
 * nccl_device/core.h and ptr.h: from windows to pointers. impl/core_types.h has the layout of a
 * window.
 */
export const pointers: readonly SurfaceEntry[] = [
  ...mapped({
    ncclGetLocalPointer: 'lsa:localPointer',
    ncclGetLsaPointer: 'lsa:pointer',
    ncclGetPeerPointer: 'lsa:peerPointer lsa:teamPointer',
    ncclDevCommCanGetPeerPointer: 'lsa:canGetPeerPointer',
    ncclGetResourceBuffer: 'devcomm:resourceBuffer',
    ncclGetResourceBufferOffset: 'window:resourceOffset devcomm:resourceBufferOffset',
    ncclGetResourceBufferLocalPointer: 'devcomm:resourceLocalPointer',
    ncclGetResourceBufferLsaPointer: 'devcomm:resourceLsaPointer',
    ncclGetResourceBufferPeerPointer: 'devcomm:resourcePeerPointer',
    ncclFindWindow: 'devcomm:findWindow',
    ncclGetLsaDevicePointer: 'communicator:getLsaDevicePointer',
    ncclGetPeerDevicePointer: 'communicator:getPeerDevicePointer',
    ncclGetLsaMultimemDevicePointer: 'communicator:getLsaMultimemDevicePointer',
    ncclGetMultimemDevicePointer: 'communicator:getMultimemDevicePointer',
  }),
  ...mapped({
    ncclMultimemHandle: 'devcomm:MultimemHandle devcomm:multimemHandle',
    ncclMultimemHandle_t: 'devcomm:MultimemHandle',
    'ncclMultimemHandle::mcBasePtr': 'devcomm:MultimemHandle.mcBasePtr',
    ncclGetMultimemPointer: 'multimem:pointer',
    ncclGetLsaMultimemPointer: 'multimem:lsaPointer',
    ncclGetResourceBufferMultimemPointer: 'devcomm:resourceMultimemPointer',
    ncclGetResourceBufferLsaMultimemPointer: 'devcomm:resourceLsaMultimemPointer',
  }),

  ...mapped({
    ncclSymPtr: 'window:SymPtr devcomm:SymPtr',
    'ncclSymPtr::ncclSymPtr': 'window:symPtr devcomm:symPtr',
    'ncclSymPtr::ElementType': 'window:SymPtr.element devcomm:SymPtr.T',
    'ncclSymPtr::peerPtr': 'devcomm:SymPtr.peerPtr devcomm:SymPtr.teamPtr',
    'ncclSymPtr::operator ncclSymPtr': 'window:SymPtr.cast devcomm:SymPtr.cast',
    'ncclSymPtr::operator+=': 'window:SymPtr.add devcomm:SymPtr.add',
    'ncclSymPtr::operator-=': 'window:SymPtr.add devcomm:SymPtr.add',
    'operator+': 'window:SymPtr.add devcomm:SymPtr.add',
  }),
  ...membersMapped('ncclSymPtr', 'devcomm:SymPtr', 'window offset localPtr lsaPtr multimemPtr lsaMultimemPtr'),
  ...lacking('the distance in elements, because offsets are bytes', {
    'operator-': 'window:SymPtr.add devcomm:SymPtr.add devcomm:SymPtr.offset',
  }),
  // Windows and offsets are compared with ===.
  ...leftOut('cLanguage', 'operator== operator!='),

  ...mapped({ ncclWindow_vidmem: 'devcomm:KernelWindow', ncclWindow_vidmem_t: 'devcomm:KernelWindow' }),
  ...membersMapped('ncclWindow_vidmem', 'devcomm:KernelWindow', 'lsaRank worldRank'),
  ...leftOut(
    'inside',
    `${of('ncclWindow_vidmem', 'winHost lsaFlatBase stride4G mcOffset4K ginOffset4K ginWinsDefaultBackend ginMultiSegmentWins numSegments')}
     ${of('ncclWindow_vidmem', 'cftFlatRank ucLeIdBase winFlags')}
     ncclResourceWindow_vidmem_t ncclResourceWindow_vidmem
     ${of('ncclResourceWindow_vidmem', 'lsaFlatBase stride4G mcOffset4K')}
     ncclSegmentWindow ${of('ncclSegmentWindow', 'ginWins segmentSize memType')}`,
  ),
];
