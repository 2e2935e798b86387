import { walkBody, type Module } from '@nccl-ts/ir';

/**
 * Why a kernel runs where the world is, though others run on threads of their own: it asks for what
 * only the world has. `undefined` where it does not.
 */
export function reasonToStay(module: Module): string | undefined {
  let reason: string | undefined;
  walkBody(module.body, {
    statement: (s) => {
      if (s.kind === 'clock') reason ??= 'it reads the clock';
      else if (s.kind === 'call' && s.name.startsWith('gin.')) reason ??= `it uses the network: ${s.name}`;
      else if (s.kind === 'call' && s.body === undefined) reason ??= `it asks for the world's windows: ${s.name}`;
    },
    expression: (e) => {
      if (e.kind === 'addressPointer') reason ??= "it asks for the world's windows: a device address";
    },
  });
  return reason;
}
