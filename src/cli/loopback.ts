/** The addresses of this machine. */

/**
 * Under `dev` every endpoint may live here, without saying so in the configuration. The commands
 * one types beside it deliver nothing, so they accept such a configuration too; `worker` does not.
 */
export const LOOPBACK = ["127.0.0.0/8", "::1/128"] as const;
