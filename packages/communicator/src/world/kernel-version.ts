import { NcclError, ncclVersionText } from '@nccl-ts/core';
import { apiFamily, needsRebuild, type ApiRuntime } from '@nccl-ts/devcomm';
import { walkBody, type Module } from '@nccl-ts/ir';
import type { Kernel } from '@nccl-ts/kernel';
import type { KernelArg } from '@nccl-ts/transport';

/** The prefix of calls of the package `gin`. */
const ginPrefix = 'gin.';

/**
 * Checks that the runtime supports the version for which a kernel was built.
 *
 * @throws NcclError `NCCL_INVALID_USAGE` if it was built for a later version, for one that is no
 *   longer supported, or uses GIN and was built for an older family of versions.
 */
export function checkKernelVersion(module: Module, runtime: ApiRuntime): void {
  const { name, apiVersion } = module;
  if (apiVersion === undefined) return;
  const what = `kernel '${name}'`;
  if (apiFamily(what, apiVersion, runtime) === 'own') return;
  const call = ginCall(module);
  if (call !== undefined) throw needsRebuild(what, apiVersion, call, runtime);
}

/**
 * Checks that the device communicators among the arguments have the kernel's version. NCCL assumes
 * that, and a kernel that reads one of another version reads wrong fields.
 *
 * @throws NcclError `NCCL_INVALID_USAGE`
 */
export function checkSameVersion(kernel: Kernel, args: readonly KernelArg[], { version }: ApiRuntime): void {
  const built = kernel.apiVersion ?? version;
  const other = args.find((arg) => arg.kind === 'devComm' && arg.devComm.plan.apiVersion !== built);
  if (other?.kind !== 'devComm') return;
  const { apiVersion } = other.devComm.plan;
  throw new NcclError(
    'NCCL_INVALID_USAGE',
    `launch of ${kernel.name}: the kernel is built for the device API of NCCL ${ncclVersionText(built)}, and the device ` +
      `communicator was created for ${ncclVersionText(apiVersion)}. Use the same version for both: give kernel(...) and ` +
      'createDevComm(...) the same apiVersion, or neither.',
    { details: { kernel: kernel.name, built, devComm: apiVersion } },
  );
}

function ginCall({ body }: Module): string | undefined {
  let found: string | undefined;
  const look = (name: string): void => {
    if (name.startsWith(ginPrefix)) found ??= name;
  };
  walkBody(body, {
    statement: (statement) => {
      if (statement.kind === 'call') look(statement.name);
    },
    expression: (expression) => {
      if (expression.kind === 'intrinsic') look(expression.name);
    },
  });
  return found;
}
