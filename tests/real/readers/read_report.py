"""Opens a report in Chromium, and prints what was seen, as JSON: REPORT AXE [SCREENSHOTS]."""

import json
import sys
from pathlib import Path

from selenium import webdriver
from selenium.webdriver.common.by import By

report, axe, *folder = sys.argv[1:]
options = webdriver.ChromeOptions()
for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"):
    options.add_argument(argument)
options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
driver = webdriver.Chrome(options, webdriver.ChromeService("/usr/bin/chromedriver"))
seen = {"scrolls": [], "axe": [], "open": [], "closed": []}


def texts(selector):
    return [element.text for element in driver.find_elements(By.CSS_SELECTOR, selector)]


def is_shown(table):
    return table.find_element(By.CSS_SELECTOR, "td").is_displayed()


try:
    for width in (390, 1280):
        for theme in ("light", "dark"):
            size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
            driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
            features = [{"name": "prefers-color-scheme", "value": theme}]
            driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
            driver.get(Path(report).as_uri())
            for table in driver.find_elements(By.CSS_SELECTOR, "details"):
                name = table.find_element(By.CSS_SELECTOR, "h2").text
                if not is_shown(table):
                    seen["closed"].append(name)
                    table.find_element(By.CSS_SELECTOR, "summary").click()
                if is_shown(table):
                    seen["open"].append(name)
            if driver.execute_script("return document.documentElement.scrollWidth > innerWidth"):
                seen["scrolls"].append((width, theme))
            if folder:
                driver.save_screenshot(f"{folder[0]}/{width}-{theme}.png")
            driver.execute_script(Path(axe).read_text())
            rules = "axe.run({resultTypes: ['violations']}).then(arguments[0])"
            broken = driver.execute_async_script(rules)["violations"]
            seen["axe"] += [(width, theme, rule["id"]) for rule in broken]
    seen["figures"] = texts("ul li")
    seen["messages"] = texts(".warning, .note")
    seen["images"] = len(driver.find_elements(By.TAG_NAME, "img"))
    seen["errors"] = [entry["message"] for entry in driver.get_log("browser")]
    events = [json.loads(entry["message"])["message"] for entry in driver.get_log("performance")]
    urls = [
        e["params"]["request"]["url"] for e in events if e["method"] == "Network.requestWillBeSent"
    ]
    seen["requests"] = sorted({url for url in urls if not url.startswith(("file:", "data:"))})
finally:
    driver.quit()
print(json.dumps(seen))
