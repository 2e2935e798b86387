import { served, type Outcome } from './command.ts';

let doctor: Promise<Outcome> | undefined;

/** Skips the test if WebGPU finds no adapter. In CI it fails instead. */
export async function requireAdapter(skip: (reason: string) => never): Promise<void> {
  doctor ??= served(['doctor', '--json']);
  const { stdout } = await doctor;
  const { webgpu }: { readonly webgpu: { readonly ok: boolean } } = JSON.parse(stdout);
  if (webgpu.ok) return;
  const reason = `WebGPU finds nothing to run on: ${JSON.stringify(webgpu)}`;
  if (process.env['CI'] === 'true') throw new Error(reason);
  console.warn(`skipped: ${reason}`);
  skip(reason);
}
