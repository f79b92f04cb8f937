// SPDX-License-Identifier: BSD-3-Clause
// The page of a picture: as wide as the window, or in its full size.
"use strict";

class PicturePage {
  constructor(data) {
    this.box = byId("picture");
    this.image = element("img", "", {src: data.image, alt: data.notes.join(", ")});
    this.box.append(this.image);
    this.box.onclick = () => this.turn();
    this.box.addEventListener("keydown", event => {
      if (event.key !== "Enter" && event.key !== " ") return;
      this.turn();
      event.preventDefault();
    });
  }
  turn() { this.box.setAttribute("aria-pressed", this.box.classList.toggle("whole")); }
}

pages.picture = PicturePage;
