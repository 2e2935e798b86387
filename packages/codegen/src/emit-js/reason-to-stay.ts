import { walkBody, type Module } from '@nccl-ts/ir';
import { isNetworkCall } from '../emit-shared/network-calls.ts';

/**
 * Returns the reason why a kernel must run on the world's own thread: it needs something that only
 * the world has. `undefined` if there is none.
 */
export function reasonToStay(module: Module): string | undefined {
  let reason = module.cluster === undefined ? undefined : 'its CTAs form clusters';
  walkBody(module.body, {
    statement: (s) => {
      if (s.kind === 'clock') reason ??= 'it reads the clock';
      else if (s.kind === 'call' && isNetworkCall(s)) reason ??= `it uses the network: ${s.name}`;
      else if (s.kind === 'call' && s.body === undefined) reason ??= `it needs the world's windows: ${s.name}`;
    },
    expression: (e) => {
      if (e.kind === 'addressPointer') reason ??= "it needs the world's windows: a device address";
    },
  });
  return reason;
}
