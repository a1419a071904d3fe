/** Loaded before a program that a test starts: nobody is left to stop it once the test's process is gone. */
const parent = process.ppid;

setInterval(() => {
  if (process.ppid !== parent) process.exit(1);
}, 1000).unref();
