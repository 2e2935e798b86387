import * as nodeModule from 'node:module';
import process from 'node:process';
import { MessageChannel } from 'node:worker_threads';
import type { synchronousHooks } from './typescript-hooks.ts';
import { javaScriptOf } from './typescript-text.ts';

/** Marks a process that imports TypeScript, even if this module was loaded several times. */
const accepts = Symbol.for('@nccl-ts/cli acceptsTypeScript');

/**
 * Makes the process import TypeScript too, on every version of Node. Node itself loads the module's
 * packages, once. So a kernel and its world share them if both resolve to the same installation.
 * `onImport` receives the URL of each later import.
 */
export async function acceptTypeScript(onImport?: (url: string) => void): Promise<void> {
  if (Reflect.has(globalThis, accepts)) return;
  Reflect.set(globalThis, accepts, true);
  // The compiler of kernels finds the author's lines by the source maps.
  process.setSourceMapsEnabled(true);
  const registerHooks: unknown = Reflect.get(nodeModule, 'registerHooks');
  if (isRegister(registerHooks)) {
    const hooks = await import('./typescript-hooks.ts');
    registerHooks(hooks.synchronousHooks(onImport));
    return;
  }
  // Node before 22.15 has hooks only in a thread of their own, and none for `require`.
  const { port1, port2 } = new MessageChannel();
  port1.on('message', (url: unknown) => {
    onImport?.(String(url));
  });
  port1.unref();
  nodeModule.register('@nccl-ts/cli/typescript-hooks', {
    parentURL: import.meta.url,
    ...(onImport !== undefined && { data: { port: port2 }, transferList: [port2] }),
  });
  const { extensions } = nodeModule.createRequire(import.meta.url);
  extensions['.ts'] = requireTypeScript;
  extensions['.cts'] = requireTypeScript;
}

/** The types of Node 20 lack it. */
function isRegister(value: unknown): value is (hooks: ReturnType<typeof synchronousHooks>) => void {
  return typeof value === 'function';
}

const requireTypeScript = (module: NodeJS.Module, file: string): void => {
  const compile: unknown = Reflect.get(module, '_compile');
  if (typeof compile !== 'function') throw new TypeError(`Node ${process.version} cannot require TypeScript.`);
  const { text, format } = javaScriptOf(file);
  Reflect.apply(compile, module, [text, file, format]);
};
