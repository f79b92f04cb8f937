// SPDX-License-Identifier: BSD-3-Clause
"use strict";

(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  document.title = data.title;
  byId("title").textContent = data.title;
  byId("notes").textContent = data.notes.join(" \u00b7 ");
  byId("section-page").hidden = data.kind !== "section";
  byId("space-page").hidden = data.kind !== "space";
  window.explorer = data.kind === "section" ? new SectionPage(data, model) : new SpacePage(data);
})();
