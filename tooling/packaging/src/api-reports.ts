import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { Extractor, ExtractorConfig, ExtractorLogLevel } from '@microsoft/api-extractor';

import type { PublishedPackage } from './published-packages.ts';

/**
 * Compares the built declarations of a package with the report in its `etc` folder, or rewrites the
 * report.
 *
 * api-extractor contains TypeScript 6 and reads the declarations that TypeScript 7 wrote, but not
 * our sources. Returns the names of the reports that differ, one for each entry point.
 */
export function apiReports(root: string, published: PublishedPackage, mode: 'check' | 'update'): readonly string[] {
  const reportFolder = join(published.folder, 'etc');
  return published.entries.flatMap((entry) => {
    // An entry without exports has nothing to report.
    if (/^export \{\};\s*(\/\/.*)?$/.test(readFileSync(entry.types, 'utf8').trim())) return [];
    mkdirSync(reportFolder, { recursive: true });
    const stem = entry.name === '.' ? published.directory : `${published.directory}-${entry.name.slice(2)}`;
    const config = ExtractorConfig.prepare({
      configObjectFullPath: undefined,
      packageJsonFullPath: join(published.folder, 'package.json'),
      configObject: {
        projectFolder: published.folder,
        mainEntryPointFilePath: entry.types,
        newlineKind: 'lf',
        compiler: {
          overrideTsconfig: {
            compilerOptions: {
              target: 'es2022',
              module: 'nodenext',
              lib: ['es2023', 'esnext.disposable'],
              types: [],
              strict: true,
              skipLibCheck: true,
            },
            files: [entry.types, join(root, 'tooling/tsconfig/universal.d.ts')],
          },
        },
        apiReport: {
          enabled: true,
          reportFileName: stem,
          reportFolder,
          reportTempFolder: join(root, 'node_modules/.cache/api-reports'),
        },
        docModel: { enabled: false },
        dtsRollup: { enabled: false },
        tsdocMetadata: { enabled: false },
        messages: {
          compilerMessageReporting: { default: { logLevel: ExtractorLogLevel.Error } },
          // The report contains exported declarations with unexported types, so that a review sees
          // them.
          extractorMessageReporting: {
            default: { logLevel: ExtractorLogLevel.Warning, addToApiReportFile: true },
            // There are no release tags here. The exports of `src/index.ts` are public, and the
            // rest is unreachable.
            'ae-missing-release-tag': { logLevel: ExtractorLogLevel.None },
            // The list contains line numbers, which would change the report whenever a line moves.
            'ae-undocumented': { logLevel: ExtractorLogLevel.None },
          },
          tsdocMessageReporting: { default: { logLevel: ExtractorLogLevel.None } },
        },
      },
    });
    const result = Extractor.invoke(config, {
      localBuild: mode === 'update',
      messageCallback: (message) => {
        if (message.logLevel !== ExtractorLogLevel.Error) message.handled = true;
      },
    });
    if (mode === 'check' && result.apiReportChanged) return [stem];
    if (result.errorCount > 0) return [`${stem} (${result.errorCount} errors)`];
    return [];
  });
}
