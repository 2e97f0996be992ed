// An answer in a file of its own: `<script type="application/json" id="membar-answer">` holds it, `#membar` shows it.
import { ExecutionView } from "./execution";
import type { Answer } from "./types";

const data = document.getElementById("membar-answer");
const place = document.getElementById("membar");
if (data?.textContent && place) {
  const answer = JSON.parse(data.textContent) as Answer;
  if (answer.drawing) {
    const view = new ExecutionView(answer.drawing, {
      stepped: (shown) => document.querySelectorAll("[data-line]").forEach((line) => line.classList.toggle("line-now", Number(line.getAttribute("data-line")) === shown.currentLine?.line)),
    });
    place.append(view.element);
    view.show();
    document.addEventListener("keydown", (event) => {
      const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (by && !(event.target as Element).matches?.("input, textarea")) view.go(view.step + by);
    });
  }
}
