// SPDX-License-Identifier: BSD-3-Clause
"use strict";

(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  document.title = data.title;
  byId("title").textContent = data.title;
  byId("notes").textContent = data.notes.join(" \u00b7 ");
  byId(data.kind + "-page").hidden = false;
  window.explorer = new pages[data.kind](data, model);
})();
