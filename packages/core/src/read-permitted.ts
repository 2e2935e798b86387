/** Deno's name for a permission. */
export interface HostPermission {
  readonly name: 'env' | 'sys';
  /** The environment variable. */
  readonly variable?: string;
  /** The requested part of the system. */
  readonly kind?: string;
}

/**
 * Reads a part of the process that the host may protect. The library works without it.
 *
 * Deno throws if a program lacks the permission, or stops to ask the user in a terminal. In that
 * case nothing is read.
 *
 * @returns the result of `read`, or `undefined` if the host has not granted the permission or
 * `read` throws.
 */
export function readPermitted<T>(permission: HostPermission, read: () => T): T | undefined {
  try {
    return isGranted(permission) ? read() : undefined;
  } catch {
    return undefined;
  }
}

interface Permissions {
  querySync(permission: HostPermission): { readonly state: string };
}

/** True on hosts without permissions. */
function isGranted(permission: HostPermission): boolean {
  const deno: unknown = Reflect.get(globalThis, 'Deno');
  const permissions: unknown = typeof deno === 'object' && deno !== null ? Reflect.get(deno, 'permissions') : undefined;
  return !isPermissions(permissions) || permissions.querySync(permission).state === 'granted';
}

function isPermissions(value: unknown): value is Permissions {
  return typeof value === 'object' && value !== null && typeof Reflect.get(value, 'querySync') === 'function';
}
