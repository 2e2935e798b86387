export async function watchCheck(_files: readonly string[]): Promise<void> {}
