import { at, WARP_SIZE } from '@nccl-ts/core';
import type { Coop, SyncStatement } from '@nccl-ts/ir';
import type { CudaEmitContext } from './context.ts';
import { emitExpression } from './emit-expression.ts';

/** Returns the synchronization of a group's threads; empty for a single thread. */
export function syncText(coop: Coop, c: CudaEmitContext): string {
  switch (coop.kind) {
    case 'cta':
      return '__syncthreads();';
    case 'tile':
      return coop.size === 1 ? '' : `__syncwarp(${maskText(coop, c)});`;
    case 'lanes':
      return `__syncwarp(${maskText(coop, c)});`;
    case 'warpSpan':
      return `__barrier_sync_count(1 + ${emitExpression(coop.id, c)}, ${WARP_SIZE} * ${emitExpression(coop.count, c)});`;
  }
}

/**
 * Returns the synchronization of a CTA at one of its named barriers; `undefined` if `syncText`
 * handles it. `__syncwarp` pairs statements by their mask, and `__syncthreads` is barrier 0.
 */
export function barrierText({ coop, barrier, vote }: SyncStatement, c: CudaEmitContext): string | undefined {
  if (barrier === undefined || coop.kind !== 'cta') return undefined;
  const { name, threads, isAligned } = barrier;
  const number = name.kind === 'constant' ? `${Number(name.value) % 16}` : `${emitExpression(name, c)} % 16`;
  if (vote !== undefined) {
    const operands = threads === undefined ? '%2' : '%2, %3';
    const reduction = `barrier.red.popc${isAligned ? '.aligned' : ''}.u32 %0, ${operands}, p;`;
    const inputs = [`(unsigned int)${emitExpression(vote.value, c)}`, number];
    if (threads !== undefined) inputs.push(emitExpression(threads, c));
    const given = inputs.map((input) => `"r"(${input})`).join(', ');
    const into = at(c.locals, vote.local);
    return `asm volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0; ${reduction} }" : "=r"(${into}) : ${given} : "memory");`;
  }
  if (threads !== undefined) return `__barrier_sync_count(${number}, ${emitExpression(threads, c)});`;
  return number === '0' && isAligned ? undefined : `__barrier_sync(${number});`;
}

/** Returns the lanes of a group inside a warp. */
export function maskText(coop: Extract<Coop, { kind: 'tile' | 'lanes' }>, c: CudaEmitContext): string {
  if (coop.kind === 'lanes') return emitExpression(coop.mask, c);
  if (coop.size === WARP_SIZE) return '0xffffffffu';
  c.use('place');
  const lanes = (2 ** coop.size - 1) >>> 0;
  return `(${lanes}u << (nts::lane_id() & ${WARP_SIZE - coop.size}u))`;
}

/** Returns the calling thread's rank in a group, and the group's size. */
export function rankAndSize(coop: Coop, c: CudaEmitContext): { readonly rank: string; readonly size: string } {
  c.use('place');
  switch (coop.kind) {
    case 'cta':
      return { rank: 'nts::thread_linear()', size: '(blockDim.x * blockDim.y * blockDim.z)' };
    case 'tile':
      return { rank: `(nts::lane_id() & ${coop.size - 1}u)`, size: `${coop.size}u` };
    case 'lanes': {
      const mask = emitExpression(coop.mask, c);
      return {
        rank: `(unsigned int)__popc(${mask} & ((1u << nts::lane_id()) - 1u))`,
        size: `(unsigned int)__popc(${mask})`,
      };
    }
    case 'warpSpan':
      return {
        rank: `(nts::thread_linear() - 32u * ${emitExpression(coop.first, c)})`,
        size: `(32u * ${emitExpression(coop.count, c)})`,
      };
  }
}

/** Returns NCCL's own type and object for a group. */
export function nativeCoop(coop: Coop, c: CudaEmitContext): { readonly type: string; readonly value: string } {
  switch (coop.kind) {
    case 'cta':
      return { type: 'ncclCoopCta', value: 'ncclCoopCta()' };
    case 'tile': {
      const type =
        coop.size === 1 ? 'ncclCoopThread' : coop.size === WARP_SIZE ? 'ncclCoopWarp' : `ncclCoopTile<${coop.size}>`;
      return { type, value: `${type}()` };
    }
    case 'lanes':
      return { type: 'ncclCoopLanes', value: `ncclCoopLanes(${emitExpression(coop.mask, c)})` };
    case 'warpSpan': {
      const parts = [coop.first, coop.count, coop.id].map((part) => `(int)${emitExpression(part, c)}`);
      return { type: 'ncclCoopWarpSpan', value: `ncclCoopWarpSpan(${parts.join(', ')})` };
    }
  }
}
