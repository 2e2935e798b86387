/**
 * The part of the Static Analysis Results Interchange Format 2.1.0 that reports use.
 *
 * @see https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html
 */
export interface SarifLog {
  readonly $schema: string;
  readonly version: '2.1.0';
  readonly runs: readonly SarifRun[];
}

export interface SarifRun {
  readonly tool: { readonly driver: SarifDriver };
  readonly columnKind: 'utf16CodeUnits';
  readonly originalUriBaseIds?: Readonly<Record<string, { readonly uri: string }>>;
  readonly invocations: readonly SarifInvocation[];
  readonly results: readonly SarifResult[];
  readonly properties: Readonly<Record<string, unknown>>;
}

export interface SarifDriver {
  readonly name: string;
  readonly semanticVersion?: string;
  readonly rules: readonly SarifRule[];
}

export interface SarifRule {
  readonly id: string;
  readonly name: string;
  readonly shortDescription: SarifText;
  readonly fullDescription: SarifText;
  readonly help: SarifText;
  readonly defaultConfiguration: { readonly level: SarifLevel };
}

export interface SarifInvocation {
  /** True if the check was complete, whatever it found. False if a limit was reached. */
  readonly executionSuccessful: boolean;
  readonly exitCode: number;
  readonly toolExecutionNotifications?: readonly { readonly level: SarifLevel; readonly message: SarifText }[];
}

export type SarifLevel = 'error' | 'warning' | 'note';

export interface SarifText {
  readonly text: string;
}

export interface SarifResult {
  readonly ruleId: string;
  readonly ruleIndex: number;
  readonly level: SarifLevel;
  readonly message: SarifText;
  readonly locations: readonly SarifLocation[];
  readonly relatedLocations?: readonly SarifLocation[];
  readonly codeFlows?: readonly { readonly message: SarifText; readonly threadFlows: readonly SarifThreadFlow[] }[];
  /** Does not change if the lines move without a change of their text. */
  readonly fingerprints: Readonly<Record<string, string>>;
  /** Depends only on the line at which it is shown. */
  readonly partialFingerprints: Readonly<Record<string, string>>;
  readonly occurrenceCount: number;
  readonly fixes?: readonly SarifFix[];
  readonly properties: Readonly<Record<string, unknown>>;
}

export interface SarifLocation {
  readonly id?: number;
  readonly message?: SarifText;
  readonly physicalLocation?: {
    readonly artifactLocation: SarifArtifact;
    readonly region: SarifRegion;
  };
  readonly logicalLocations?: readonly { readonly name: string; readonly kind: string }[];
}

/** The name of a file. */
export interface SarifArtifact {
  readonly uri: string;
  readonly uriBaseId?: string;
}

/** A change that mends what a result is about. */
export interface SarifFix {
  readonly description: SarifText;
  readonly artifactChanges: readonly {
    readonly artifactLocation: SarifArtifact;
    readonly replacements: readonly {
      readonly deletedRegion: {
        readonly startLine: number;
        readonly startColumn: number;
        readonly endLine: number;
        readonly endColumn: number;
      };
      readonly insertedContent: SarifText;
    }[];
  }[];
}

export interface SarifRegion {
  readonly startLine: number;
  readonly startColumn: number;
  readonly endColumn: number;
  readonly snippet: SarifText;
}

export interface SarifThreadFlow {
  readonly id: string;
  readonly message: SarifText;
  readonly locations: readonly {
    readonly location: SarifLocation;
    readonly nestingLevel: number;
    readonly executionOrder: number;
  }[];
}
