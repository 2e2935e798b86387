import { NcclError } from '@nccl-ts/core';
import type { ImportedKernel, ImportOptions } from './import-kernel.ts';
import type { PtxDiagnostic } from './diagnostic.ts';
import type { PtxModule } from './syntax/module.ts';
export function parsePtx(text: string, name: string): { module?: PtxModule; diagnostics: readonly PtxDiagnostic[] } {
  return {
    module: { name, text, version: [9, 0], target: 'sm_90', files: new Map(), functions: [], variables: [] },
    diagnostics: [],
  };
}
export function importKernel(..._unused: readonly [PtxModule, ImportOptions]): ImportedKernel {
  throw new NcclError('NCCLTS_COMPILE', 'not there');
}
export function renderPtxDiagnostic(diagnostic: PtxDiagnostic, ..._unused: readonly PtxModule[]): string {
  return diagnostic.message;
}

/** Tests that need the reader are skipped as long as this is exported. */
export const readerIsMissing = true;
