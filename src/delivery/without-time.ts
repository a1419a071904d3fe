/** Facts as whoever lives them gives them: the time is added when they are folded in. */
export type WithoutTime<Fact> = Fact extends unknown ? Omit<Fact, "atMs"> : never;
