import type { MemoryProxy } from '@nccl-ts/core';
import type { FenceFabricStatement } from '@nccl-ts/ir';
import type { CudaEmitContext } from './context.ts';
import { needs } from './first-versions.ts';

/** The header with the fences of the fabric proxy. */
export const fabricHeader = 'nccl_device/impl/cft__funcs.h';

/** NCCL's names for the proxies. */
export const proxyText: Readonly<Record<MemoryProxy, string>> = {
  generic: 'ncclMemProxyType::Generic',
  fabric: 'ncclMemProxyType::Fabric',
};

/** Emits a thread's fence of the fabric proxy: NCCL's fence, for a group of one thread. */
export function emitFabricFence(s: FenceFabricStatement, c: CudaEmitContext): void {
  needs(c, 'memFence', 'fences of the fabric proxy');
  c.ncclIncludes.add(fabricHeader);
  c.use('atomic');
  const scope = s.access.scope === 'system' ? 'ncclMemFenceScope::Sys' : 'ncclMemFenceScope::Cta';
  c.line(
    `ncclMemFence(ncclCoopThread(), cuda::memory_order_${s.access.order}, ${proxyText[s.producer]}, ${proxyText[s.consumer]}, ${scope});`,
  );
}
