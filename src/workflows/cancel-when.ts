/** Work that the workflow takes back as soon as nobody wants it any more. */
import { type CancellationScope, condition } from "@temporalio/workflow";

/** Cancels what runs in the scope once `isUnwanted`. What it returns ends the watch: to be called when the work has ended. */
export function cancelWhen(isUnwanted: () => boolean, work: CancellationScope): () => void {
  let over = false;
  void condition(() => over || isUnwanted()).then(() => {
    if (!over) work.cancel();
  });
  return () => {
    over = true;
  };
}
