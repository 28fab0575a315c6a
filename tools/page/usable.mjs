// Prints how long the page takes from its address to its text and to its first answer, five times: node usable.mjs
import { open } from "./test/browser.mjs";

const browser = await open();
try {
  for (let run = 0; run < 5; run++) {
    const page = await browser.context.newPage();
    const before = performance.now();
    await page.goto(`${browser.url}#position?fen=8/8/2k5/1r6/8/8/8/2KQ4+w+-+-+0+1`);
    await page.waitForSelector("h1");
    const shown = performance.now() - before;
    await page.waitForSelector(".moves tbody tr");
    console.log(
      `shown after ${shown.toFixed(0)} ms, all moves of KQvKR after ${(performance.now() - before).toFixed(0)} ms`,
    );
    await page.close();
  }
} finally {
  await browser.close();
}
