// A field above the compatibility table that leaves the rows with a word in their names.
document.addEventListener("DOMContentLoaded", () => {
  const first = document.querySelector(".compatibility");
  if (!first) return;
  const rows = [...document.querySelectorAll(".compatibility tbody tr")];
  const field = document.createElement("input");
  field.className = "compatibility-filter";
  field.type = "search";
  field.placeholder = "Part of a name: StopAtStep, losses, contrib.layers";
  field.setAttribute("aria-label", "Part of a name");
  field.addEventListener("input", () => {
    const word = field.value.trim().toLowerCase().replace(/^tf\./, "");
    for (const row of rows) {
      const names = [...row.cells[0].querySelectorAll("code")];
      const found = names.filter((name) => name.textContent.toLowerCase().includes(word));
      row.hidden = found.length === 0;
      for (const name of names) {
        name.hidden = !found.includes(name);
        if (name.nextElementSibling) name.nextElementSibling.hidden = name.hidden;
      }
      const more = row.cells[0].querySelector("details");
      if (more) more.open = word !== "";
    }
    for (const table of document.querySelectorAll(".compatibility")) {
      table.hidden = !table.querySelector("tbody tr:not([hidden])");
      table.previousElementSibling.hidden = table.hidden;
    }
  });
  first.previousElementSibling.before(field);
});
