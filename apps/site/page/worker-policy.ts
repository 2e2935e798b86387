import type { Problem } from './protocol.ts';

/**
 * Asks the host of the site for the policy that it sends with the worker. Without that policy a
 * program could reach a network, so the page then runs none.
 *
 * @returns the reason why programs do not run here, or `undefined` if they do
 */
export async function policyProblem(worker: string): Promise<Problem | undefined> {
  try {
    const { headers } = await fetch(`${worker}?policy`, { method: 'HEAD' });
    const policy = headers.get('content-security-policy') ?? '';
    if (/\bconnect-src 'none'/.test(policy)) return undefined;
  } catch {
    // The page is offline, so the worker has come from the browser's cache, with its policy.
    return undefined;
  }
  return {
    message:
      'Programs do not run here, because the host of this site does not send the content security policy of the ' +
      "worker (see the site's README). Nothing keeps a program from the network without it.",
  };
}
