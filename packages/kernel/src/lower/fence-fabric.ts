import { memoryOrders, memoryProxies } from '@nccl-ts/core';
import { argument, checkCount, wordArgument } from './arguments.ts';
import type { Lowering } from './lowering.ts';
import { nothing, poison, type CallOperands, type Operand } from './operand.ts';

/** Lowers `fenceProxy('fabric', producer, consumer, order, scope)`. */
export function fenceFabric(l: Lowering, call: CallOperands): Operand {
  if (!checkCount(l, 'fenceProxy.fabric', call, 4, 5)) return poison;
  const producer = wordArgument(l, 'fenceProxy', 'producer', argument(call, 1), memoryProxies);
  const consumer = wordArgument(l, 'fenceProxy', 'consumer', argument(call, 2), memoryProxies);
  const order = wordArgument(l, 'fenceProxy', 'order', argument(call, 3), memoryOrders);
  const scope = wordArgument(l, 'fenceProxy', 'scope', argument(call, 4), ['block', 'system'], 'system');
  if (producer === undefined || consumer === undefined || order === undefined || scope === undefined) return poison;
  // A relaxed fence orders nothing.
  if (order === 'relaxed') return nothing;
  const access = { order, scope };
  // A fence of the given order is enough between generic accesses of different threads.
  if (producer === 'generic' && consumer === 'generic' && scope === 'system')
    l.emit({ kind: 'fence', access, span: call.span });
  else l.emit({ kind: 'fenceProxy', proxy: 'fabric', producer, consumer, access, span: call.span });
  return nothing;
}
