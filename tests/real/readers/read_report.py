"""Opens a report in Chromium, uses it, and prints what was seen, as JSON: REPORT AXE SEARCH [SCREENSHOT]."""

import json
import sys
from pathlib import Path

from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.select import Select
from selenium.webdriver.support.wait import WebDriverWait

report, axe, text, *screenshot = sys.argv[1:]
options = webdriver.ChromeOptions()
for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"):
    options.add_argument(argument)
options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
driver = webdriver.Chrome(options, webdriver.ChromeService("/usr/bin/chromedriver"))
seen = {"scrolls": {}, "axe": {}}


def opened(width, theme, media="", hash=""):
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    features = [{"name": "prefers-color-scheme", "value": theme}]
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features, "media": media})
    driver.get(Path(report).as_uri() + hash)
    ready = "return document.getElementById('report').dataset.ready"
    WebDriverWait(driver, 20).until(lambda driver: driver.execute_script(ready))


def texts(selector):
    return [element.text for element in driver.find_elements(By.CSS_SELECTOR, selector)]


try:
    for theme, media in (("light", ""), ("dark", ""), ("dark", "print")):
        opened(1100, theme, media)
        driver.execute_script(
            "for (const one of document.querySelectorAll('details')) one.open = true"
        )
        driver.execute_script(Path(axe).read_text())
        rules = "axe.run({resultTypes: ['violations']}).then(arguments[0])"
        seen["axe"][f"{theme} {media}".strip()] = [
            rule["id"] for rule in driver.execute_async_script(rules)["violations"]
        ]
    for width in (360, 1100):
        opened(width, "light")
        scrolls = "return document.documentElement.scrollWidth > innerWidth"
        seen["scrolls"][width] = driver.execute_script(scrolls)
    seen["labels"] = texts(".inner > span")
    seen["legends"] = {}
    for name in ("dates", "reasons"):
        driver.find_element(By.CSS_SELECTOR, f"input[value={name}]").send_keys(Keys.SPACE)
        seen["legends"][name] = texts(".legend li")
    driver.find_element(By.CSS_SELECTOR, ".map button").send_keys(Keys.ENTER)
    seen["entered"] = texts("[aria-current]")
    seen["focus"] = driver.switch_to.active_element.tag_name
    driver.switch_to.active_element.send_keys(Keys.ESCAPE)
    seen["left"] = texts("[aria-current]")
    driver.find_element(By.CSS_SELECTOR, "[data-sort=name]").send_keys(Keys.ENTER)
    seen["folders"] = texts("#site tbody td:first-child button")
    driver.find_element(By.CSS_SELECTOR, "input[type=search]").send_keys(text)
    seen["found"] = texts("#pages tbody td:first-child")
    driver.find_element(By.CSS_SELECTOR, "#pages tbody a").send_keys(Keys.ENTER)
    seen["explained"] = driver.find_element(By.CSS_SELECTOR, "dialog[open]").text
    driver.execute_script(Path(axe).read_text())
    seen["axe"]["panel"] = [rule["id"] for rule in driver.execute_async_script(rules)["violations"]]
    driver.switch_to.active_element.send_keys(Keys.ESCAPE)
    seen["focus after"] = driver.switch_to.active_element.text
    driver.get("about:blank")
    opened(1100, "light", hash="#page=docs/new.html")
    seen["by link"] = driver.find_element(By.CSS_SELECTOR, "dialog[open]").text
    driver.find_element(By.CSS_SELECTOR, "dialog button").click()
    seen["closed"] = not texts("dialog[open]")
    Select(driver.find_element(By.CSS_SELECTOR, "#pages select")).select_by_value("listed")
    driver.find_element(By.CSS_SELECTOR, "input[type=search]").send_keys("docs/new")
    seen["listed"] = texts("#pages tbody td")
    seen["changes"] = texts("header p")[-1]
    seen["sections"] = texts("section > h2")
    seen["figures"] = texts(".figures li")
    seen["errors"] = [entry["message"] for entry in driver.get_log("browser")]
    events = [json.loads(entry["message"])["message"] for entry in driver.get_log("performance")]
    urls = [
        e["params"]["request"]["url"] for e in events if e["method"] == "Network.requestWillBeSent"
    ]
    seen["requests"] = sorted(
        {url for url in urls if not url.startswith(("file:", "data:", "blob:"))}
    )
    if screenshot:
        opened(1100, "light")
        driver.save_screenshot(screenshot[0])
finally:
    driver.quit()
print(json.dumps(seen))
