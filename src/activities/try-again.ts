/** Not a fault: the answer is still out. At the boundary it becomes a failure that the server tries again. */
export class TryAgain extends Error {
  override readonly name = "TryAgain";
  /** Type of the failure in Temporal. */
  readonly type: string;
  readonly afterMs: number;

  constructor(message: string, { type, afterMs }: { readonly type: string; readonly afterMs: number }) {
    super(message);
    this.type = type;
    this.afterMs = afterMs;
  }
}
