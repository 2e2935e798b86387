import { NcclError } from '@nccl-ts/core';
import type { ErrorCode } from '@nccl-ts/core';
import { cftCapsCodes } from './cft-caps.ts';
import { apiRuntime, type ApiVersionOptions } from './api-version.ts';
import type { GinConnectionType } from './gin-connection-type.ts';
import { normalizeDevCommRequirements } from './normalize-requirements.ts';
import { requirementsForRuntime } from './requirement-versions.ts';
import type { DevCommRequirements, NormalDevCommRequirements } from './requirements.ts';
import { ginTypesOf, type ResourceSupport } from './resource-support.ts';

/**
 * Checks that the requirements are consistent and that ranks with this support can meet them.
 * Returns them with the defaults filled in, in the form of the running version.
 * @throws NcclError `NCCL_INVALID_ARGUMENT` for an unknown field, or a value of the wrong type or
 *   range. It also throws this for GIN requirements without a connection, an unsupported
 *   connection, world GIN barriers with a rail connection, and a connection without GIN contexts
 *   (which NCCL does not check). It also throws this for multimem without support, a field that is
 *   newer than `apiVersion`, and fabric endpoints or a type of GIN that the ranks do not have.
 * @throws NcclError `NCCL_INVALID_USAGE` if symmetric memory, or a required kind of signal, is
 *   missing. It also throws this if `apiVersion` is later than the running version, or if that
 *   version cannot run code of `apiVersion`, or none with GIN.
 * @see ncclDevCommCreate
 */
export function validateDevCommRequirements(
  requirements: DevCommRequirements,
  support: ResourceSupport,
  options: ApiVersionOptions = {},
): NormalDevCommRequirements {
  const requested = requirementsForRuntime(normalizeDevCommRequirements(requirements), apiRuntime(support, options));
  if (!support.symmetric) {
    throw refusal(
      'NCCL_INVALID_USAGE',
      'A device communicator needs symmetric memory, which these ranks do not have.',
      {},
    );
  }
  checkGin(requested, support);
  checkMultimem(requested, support);
  checkCft(requested, support);
  return requested;
}

/** Returns the connection that requirements need. `ginForceEnable` means `full`. */
export function requestedGinConnection(requirements: NormalDevCommRequirements): GinConnectionType {
  return requirements.ginForceEnable ? 'full' : requirements.ginConnectionType;
}

function checkGin(requirements: NormalDevCommRequirements, support: ResourceSupport): void {
  const connection = requestedGinConnection(requirements);
  const asks = ginRequirements(requirements);
  if (connection === 'none') {
    if (asks.length === 0) return;
    throw refusal(
      'NCCL_INVALID_ARGUMENT',
      `${asks.join(', ')} need GIN; given ginConnectionType 'none', allowed are 'full' and 'rail'.`,
      { asks, ginConnectionType: connection },
    );
  }
  if (support.gin === 'none') {
    throw refusal(
      'NCCL_INVALID_ARGUMENT',
      `ginConnectionType '${connection}' needs GIN on every rank, which these ranks do not have; allowed is 'none'.`,
      { ginConnectionType: connection, supported: support.gin },
    );
  }
  if (connection === 'full' && support.gin === 'rail') {
    throw refusal(
      'NCCL_INVALID_ARGUMENT',
      `${requirements.ginForceEnable ? 'ginForceEnable' : "ginConnectionType 'full'"} asks for GIN to all ranks; these ranks reach only their rail, allowed are 'rail' and 'none'.`,
      { ginConnectionType: connection, supported: support.gin },
    );
  }
  const types = ginTypesOf(support);
  if (requirements.ginType !== 'none' && !types.includes(requirements.ginType)) {
    const allowed = types.map((type) => `'${type}'`).join(', ');
    throw refusal(
      'NCCL_INVALID_ARGUMENT',
      `ginType '${requirements.ginType}' asks for a network that these ranks do not have; allowed are ${allowed} and 'none', which accepts any.`,
      { ginType: requirements.ginType, supported: types },
    );
  }
  if (requirements.worldGinBarrierCount > 0 && connection === 'rail') {
    throw refusal(
      'NCCL_INVALID_ARGUMENT',
      `World GIN barriers need ginConnectionType 'full'; given worldGinBarrierCount ${requirements.worldGinBarrierCount} and ginConnectionType 'rail'.`,
      { worldGinBarrierCount: requirements.worldGinBarrierCount, ginConnectionType: connection },
    );
  }
  if (requirements.ginContextCount === 0) {
    throw refusal(
      'NCCL_INVALID_ARGUMENT',
      `ginContextCount must be at least 1 with ginConnectionType '${connection}'; given 0.`,
      { ginContextCount: 0, ginConnectionType: connection },
    );
  }
  if (requirements.ginStrongSignalsRequired && support.ginStrongSignals === false) {
    throw missingSignals('ginStrongSignalsRequired', 'strong signals');
  }
  if (requirements.ginVaSignalsRequired && support.ginVaSignals === false) {
    throw missingSignals('ginVaSignalsRequired', 'signals at window addresses');
  }
}

/** Returns the requirements that need GIN, by field name. */
function ginRequirements(requirements: NormalDevCommRequirements): readonly string[] {
  const fields = [
    'ginSignalCount',
    'ginCounterCount',
    'barrierCount',
    'railGinBarrierCount',
    'worldGinBarrierCount',
  ] as const;
  const asks = fields.filter((name) => requirements[name] > 0).map((name) => `${name} ${requirements[name]}`);
  requirements.resourceRequirementsList.forEach((node, index) => {
    for (const name of ['ginSignalCount', 'ginCounterCount'] as const) {
      if (node[name] > 0) asks.push(`resourceRequirementsList[${index}].${name} ${node[name]}`);
    }
  });
  return asks;
}

function checkMultimem(requirements: NormalDevCommRequirements, support: ResourceSupport): void {
  if (support.multimem) return;
  const team = requirements.teamRequirementsList.findIndex((node) => node.multimem);
  if (!requirements.lsaMultimem && team < 0) return;
  const what = requirements.lsaMultimem ? 'lsaMultimem' : `teamRequirementsList[${team}].multimem`;
  throw refusal(
    'NCCL_INVALID_ARGUMENT',
    `${what} asks for multicast addresses, which these ranks do not have; given true, allowed is false.`,
    { what },
  );
}

function checkCft({ cftCaps }: NormalDevCommRequirements, { cft = 'none' }: ResourceSupport): void {
  if ((cftCapsCodes[cftCaps] & ~cftCapsCodes[cft]) === 0) return;
  throw refusal(
    'NCCL_INVALID_ARGUMENT',
    `cftCaps '${cftCaps}' asks for logical endpoints that these ranks do not have; allowed is ${cft === 'cft' ? "'cft' or 'none'" : "'none'"}.`,
    { cftCaps, supported: cft },
  );
}

function missingSignals(what: string, kind: string): NcclError {
  return refusal(
    'NCCL_INVALID_USAGE',
    `${what} asks for ${kind}, which the GIN of these ranks does not have; set it to false if kernels use none.`,
    { what },
  );
}

function refusal(code: ErrorCode, message: string, details: Readonly<Record<string, unknown>>): NcclError {
  return new NcclError(code, `Cannot create a device communicator: ${message}`, { details });
}
