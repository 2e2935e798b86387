import { homedir } from 'node:os';

/** The machine that is searched: its environment, and what stands for `/`. Tests pass directories of their own. */
export interface DiscoveryHost {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What paths such as `/usr` begin at; empty for the machine itself. */
  readonly root: string;
  readonly home: string;
}

/** This machine. */
export function thisHost(): DiscoveryHost {
  return { env: process.env, root: '', home: homedir() };
}

/** The value of an environment variable, unless it is unset or empty. */
export function variable(host: DiscoveryHost, name: string): string | undefined {
  const value = host.env[name];
  return value === undefined || value === '' ? undefined : value;
}
